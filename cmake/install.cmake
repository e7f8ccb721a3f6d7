# cmake --install: the program, its experiments, and the library as moblo::moblo.
include(CMakePackageConfigHelpers)

add_library(moblo_all INTERFACE)
add_library(moblo::moblo ALIAS moblo_all)
set_target_properties(moblo_all PROPERTIES EXPORT_NAME moblo)
get_property(MOBLO_ROOM_TARGETS GLOBAL PROPERTY MOBLO_ROOMS)
target_link_libraries(moblo_all INTERFACE ${MOBLO_ROOM_TARGETS})
install(TARGETS moblo_all EXPORT moblo)

set(MOBLO_CMAKE_DIR lib/cmake/moblo)
install(EXPORT moblo NAMESPACE moblo:: FILE moblo-targets.cmake DESTINATION ${MOBLO_CMAKE_DIR})
configure_package_config_file(cmake/moblo-config.cmake.in ${PROJECT_BINARY_DIR}/moblo-config.cmake
                              INSTALL_DESTINATION ${MOBLO_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/moblo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/moblo-config.cmake ${PROJECT_BINARY_DIR}/moblo-config-version.cmake
        DESTINATION ${MOBLO_CMAKE_DIR})
install(DIRECTORY moblo/ DESTINATION include/moblo FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY experiments/ DESTINATION share/moblo/experiments FILES_MATCHING PATTERN "*.toml")
install(FILES web/dist/charts.js DESTINATION share/moblo/web OPTIONAL)  # made by tools/setup
