// The cost of starting any C++ program.
int main() {}
