try:
    from spack_repo.builtin.build_systems.generic import Package
except ImportError:  # Spack before 1.0 has it in spack.package.
    pass
from spack.package import *


class GnuplotIostream(Package):
    """One header that sends data to gnuplot. Spack's own packages lack it."""

    homepage = "https://github.com/dstahlke/gnuplot-iostream"
    git = "https://github.com/dstahlke/gnuplot-iostream.git"

    license("MIT")

    # It has no releases.
    version("2022-01-24", commit="d674bdf23b93c76d491f03246d2e6f72bf5739ce")

    depends_on("boost+filesystem+iostreams")

    def install(self, spec, prefix):
        mkdirp(prefix.include)
        install("gnuplot-iostream.h", prefix.include)
