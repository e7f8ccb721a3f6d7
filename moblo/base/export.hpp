#pragma once

/// Marks what a program that links the shared library may use; everything else is hidden.
#define MOBLO_API __attribute__((visibility("default")))
