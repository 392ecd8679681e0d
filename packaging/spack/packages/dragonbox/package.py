try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # Spack before 1.0 has it in spack.package.
    pass
from spack.package import *


class Dragonbox(CMakePackage):
    """Writes floating-point numbers as the shortest decimals. Spack's own packages lack it."""

    homepage = "https://github.com/jk-jeon/dragonbox"
    url = "https://github.com/jk-jeon/dragonbox/archive/refs/tags/1.1.3.tar.gz"

    license("Apache-2.0 WITH LLVM-exception OR BSL-1.0")

    version("1.1.3", sha256="09d63b05e9c594ec423778ab59b7a5aa1d76fdd71d25c7048b0258c4ec9c3384")

    depends_on("cxx", type="build")
    depends_on("cmake@3.14:", type="build")

    def cmake_args(self):
        return [self.define("DRAGONBOX_INSTALL_TO_CHARS", False)]
