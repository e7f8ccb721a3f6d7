# The library as one target, moblo::moblo, and what `cmake --install` puts where.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(MOBLO_ROOMS base qp records aggregation problem gradients methods training fronts conformance)
add_library(moblo_library)
add_library(moblo::moblo ALIAS moblo_library)
foreach(room ${MOBLO_ROOMS})
  target_sources(moblo_library PRIVATE $<TARGET_OBJECTS:moblo_${room}>)
endforeach()
set_target_properties(moblo_library PROPERTIES OUTPUT_NAME moblo EXPORT_NAME moblo LINKER_LANGUAGE CXX
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(moblo_library INTERFACE cxx_std_20)
target_include_directories(moblo_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(moblo_library PUBLIC torch Eigen3::Eigen nlohmann_json::nlohmann_json ${MOBLO_FMT}
                                    PRIVATE ZLIB::ZLIB OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS})
if(MOBLO_SEARCH)
  target_link_libraries(moblo_library PRIVATE Pagmo::pagmo)
else()
  target_compile_definitions(moblo_library INTERFACE MOBLO_NO_SEARCH)
  set(MOBLO_PC_DEFINITIONS -DMOBLO_NO_SEARCH)
endif()

# The runtime library apart from what a compiler needs: two packages.
install(TARGETS moblo_library EXPORT moblo LIBRARY COMPONENT library NAMELINK_COMPONENT development
                                           ARCHIVE COMPONENT development)
set(MOBLO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/moblo)
install(EXPORT moblo NAMESPACE moblo:: FILE moblo-targets.cmake DESTINATION ${MOBLO_CMAKE_DIR} COMPONENT development)
configure_package_config_file(cmake/moblo-config.cmake.in ${PROJECT_BINARY_DIR}/moblo-config.cmake
                              INSTALL_DESTINATION ${MOBLO_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/moblo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/moblo-config.cmake ${PROJECT_BINARY_DIR}/moblo-config-version.cmake
        DESTINATION ${MOBLO_CMAKE_DIR} COMPONENT development)
file(RELATIVE_PATH MOBLO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(folder ${TORCH_INCLUDE_DIRS})
  if(NOT folder STREQUAL "/usr/include")
    string(APPEND MOBLO_TORCH_CFLAGS "-I${folder} ")
  endif()
endforeach()
configure_file(cmake/moblo.pc.in ${PROJECT_BINARY_DIR}/moblo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/moblo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

include(cmake/public_headers.cmake)
foreach(header ${MOBLO_PUBLIC_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT development)
endforeach()
if(MOBLO_LAB)
  install(DIRECTORY experiments/ DESTINATION share/moblo/experiments COMPONENT program FILES_MATCHING PATTERN "*.toml")
  install(FILES web/dist/charts.js DESTINATION share/moblo/web COMPONENT program OPTIONAL)  # made by tools/setup
endif()
