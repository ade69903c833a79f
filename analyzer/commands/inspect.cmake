# The commands that look at captures as files: `info` and `verify`.
add_library(dstap_inspect_commands
  ${CMAKE_CURRENT_LIST_DIR}/info_command.cc
  ${CMAKE_CURRENT_LIST_DIR}/info_summary.cc
  ${CMAKE_CURRENT_LIST_DIR}/inspect_files.cc
  ${CMAKE_CURRENT_LIST_DIR}/verify_command.cc)
target_link_libraries(dstap_inspect_commands
  PUBLIC dstap_capture
  PRIVATE nlohmann_json::nlohmann_json)
