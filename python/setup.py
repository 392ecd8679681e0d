"""The wheel holds a library for one kind of processor, but is for every Python: py3-none-linux_x86_64."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=os.environ.get("SCALELAW_VERSION", "0.0.0"), cmdclass={"bdist_wheel": Wheel}, distclass=WithLibrary)
