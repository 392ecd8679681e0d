import os
import pathlib

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # Spack before 1.0 has it in spack.package.
    pass
from spack.package import *

# The sources have no public place yet. The package is made of the source archive that scripts/package leaves in build/dist,
# or of the one that the variable SCALELAW_ARCHIVE names. An archive cannot hold its own hash, so Spack wants
# `spack install --no-checksum scalelaw`. A release with a place gets its url and sha256 here.
BUILT = pathlib.Path(__file__).resolve().parents[4] / "build" / "dist" / "scalelaw-0.1.0.tar.gz"
ARCHIVE = os.path.abspath(os.environ.get("SCALELAW_ARCHIVE", str(BUILT)))


class Scalelaw(CMakePackage):
    """Fits and judges scaling laws of training time and energy."""

    url = "file://" + ARCHIVE

    license("Apache-2.0")

    version("0.1.0")

    variant("mpi", default=True, description="Share the work among ranks of mpirun and srun")
    variant("gnuplot", default=True, description="Install gnuplot, which draws the figures")
    variant("isal", default=True, description="Read gzip by ISA-L, three to six times faster than by zlib", when="target=x86_64:")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("boost@1.74:+filesystem+iostreams")
    depends_on("cli11@2.1:")
    depends_on("dragonbox")
    depends_on("eigen@3.4:")
    depends_on("fast-float")
    depends_on("fmt")
    depends_on("gnuplot-iostream")
    depends_on("libyaml")
    depends_on("nlohmann-json")
    depends_on("sqlite@3.37:")
    depends_on("tomlplusplus")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("isa-l", when="+isal")
    depends_on("mpi", when="+mpi")
    depends_on("gnuplot+cairo", type="run", when="+gnuplot")

    depends_on("googletest+gmock", type="test")
    depends_on("python@3.7:", type="test")
    depends_on("py-pyyaml", type="test")
    depends_on("py-jinja2", type="test")

    def cmake_args(self):
        return [
            self.define_from_variant("SCALELAW_MPI", "mpi"),
            self.define("SCALELAW_BUILD_TESTS", self.run_tests),
        ]

    def test_version(self):
        """The command says which version it is."""
        scalelaw = Executable(self.prefix.bin.scalelaw)
        assert str(self.spec.version) in scalelaw("version", output=str)
