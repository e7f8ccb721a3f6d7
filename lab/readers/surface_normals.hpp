#pragma once

#include <array>
#include <vector>

#include "lab/readers/resample.hpp"

namespace moblo::lab::readers {

/// A pinhole camera, in pixels.
struct Camera {
  double focal_x, focal_y, centre_x, centre_y;
};

/// Of the depth sensor of NYUv2, for images of 640 x 480.
inline constexpr Camera kinect{518.86, 519.47, 325.58, 253.74};
inline constexpr std::int64_t kinect_width = 640, kinect_height = 480;

/// The camera for images of another size, and of images whose left and right are exchanged.
Camera kinect_for(std::int64_t height, std::int64_t width, bool mirrored);

/// Unit normals of the surfaces that a depth map shows (metres; 0 = not measured), at the pixels where `rows` and
/// `columns` meet; x to the right, y down, z away from the camera, pointing towards the camera. Zero vectors where the
/// depth was not measured, or too little of it around.
///
/// On a plane the inverse depth is affine in the pixel's position: 1/z = a u + b v + c with normal (a, b, c). Fitted by
/// least squares to a window of 49 x 49 pixels, of which every fourth is read; depths in steps of 4 cm allow no smaller
/// one. Pixels of another surface are left out: first by their depth, then twice by their distance from the plane.
std::array<std::vector<float>, 3> normals_from_depth(const Plane& depth, const Camera& camera,
                                                     const std::vector<std::int64_t>& rows,
                                                     const std::vector<std::int64_t>& columns);

}  // namespace moblo::lab::readers
