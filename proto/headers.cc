// What most of the program includes is compiled once, with this file, in sanitizer builds: see
// CMakeLists.txt.
