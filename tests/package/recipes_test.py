#!/usr/bin/env python3
"""Holds the recipes of packaging/ against the sources: recipes_test.py SOURCE.

No package manager is here, so each recipe is read by the language it is in, with stand-ins for what its manager gives it.
What a recipe says must then agree with CMakeLists.txt, LICENSE and scripts/packages.txt."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

import jinja2
import yaml

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PACKAGING = SOURCE / "packaging"
os.environ.pop("SCALELAW_ARCHIVE", None)
CMAKE = (SOURCE / "CMakeLists.txt").read_text()

# What the recipes call a package of scripts/packages.txt; None where a manager brings it unasked, or has none.
# package                  (Spack, Conda, vcpkg)
COUNTERPARTS = {
    "g++": ("cxx", "compiler of cxx", None),
    "libc6-dev": (None, "stdlib of c", None),
    "cmake": ("cmake", "cmake", "vcpkg-cmake"),
    "ninja-build": (None, "ninja", None),
    "pkg-config": ("pkgconfig", "pkg-config", None),  # The port of vcpkg asks for it in its portfile.
    "dpkg-dev": (None, None, None),
    "file": (None, None, None),
    "libboost-dev": ("boost", "libboost-devel", "boost-math"),
    "libeigen3-dev": ("eigen", "eigen", "eigen3"),
    "libfmt-dev": ("fmt", "fmt", "fmt"),
    "libcli11-dev": ("cli11", "cli11", "cli11"),
    "nlohmann-json3-dev": ("nlohmann-json", "nlohmann_json", "nlohmann-json"),
    "libfast-float-dev": ("fast-float", "fast_float", "fast-float"),
    "libtomlplusplus-dev": ("tomlplusplus", "tomlplusplus", "tomlplusplus"),
    "libdragonbox-dev": ("dragonbox", "source of dragonbox", "dragonbox"),
    "libisal-dev": ("isa-l", "isa-l", "isal"),
    "zlib1g-dev": ("zlib-api", "zlib", "zlib"),
    "libzstd-dev": ("zstd", "zstd", "zstd"),
    "libxxhash-dev": ("xxhash", "xxhash", "xxhash"),
    "libsqlite3-dev": ("sqlite", "sqlite", "sqlite3"),
    "libyaml-dev": ("libyaml", "yaml", "libyaml"),
    "gnuplot-nox": ("gnuplot", "gnuplot", None),  # vcpkg has no programs.
    "libgnuplot-iostream-dev": ("gnuplot-iostream", "source of gnuplot-iostream", "gnuplot-iostream"),
    "libboost-iostreams-dev": ("boost+iostreams", "libboost-devel", "boost-iostreams"),
    "libboost-filesystem-dev": ("boost+filesystem", "libboost-devel", "boost-filesystem"),
}
MANAGERS = ("Spack", "Conda", "vcpkg")
# What a recipe needs besides: a language of the build, and what a manager has apart.
BESIDES = {
    "Spack": {"c", "mpi"},
    "Conda": {"compiler of c"},
    "vcpkg": {"vcpkg-cmake-config"},
}


def listed_packages():
    """The packages that scripts/packages.txt lists for the build and the figures."""
    section, packages = None, []
    for line in (SOURCE / "scripts" / "packages.txt").read_text().splitlines():
        if line.startswith("# "):
            section = line[2:]
        elif line and section in ("tools", "libraries of the build", "figures"):
            packages.append(line.split()[0])
    return packages


def spack_package(name):
    """A package of Spack as an object, with the calls that its class made in `calls`."""
    calls = []

    def directive(kind):
        return lambda *words, **options: calls.append((kind, words, options))

    class Builder:
        run_tests = False

        @staticmethod
        def define(variable, value):
            return "-D%s=%s" % (variable, value)

        @staticmethod
        def define_from_variant(variable, variant):
            assert variant in [words[0] for kind, words, _ in calls if kind == "variant"], "no variant " + variant
            return "-D%s=ON" % variable

    given = types.ModuleType("spack.package")
    for kind in ("version", "variant", "depends_on", "license"):
        setattr(given, kind, directive(kind))
    given.CMakePackage = given.Package = Builder
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": given})
    path = PACKAGING / "spack" / "packages" / name / "package.py"
    scope = {"__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    package = scope["".join(word.capitalize() for word in name.split("-"))]()  # So Spack finds the class.
    package.calls = calls
    return package


def conda_recipe():
    """meta.yaml as conda-build reads it on Linux."""
    def named(kind):
        return lambda language: "%s of %s" % (kind, language)

    text = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string((PACKAGING / "conda" / "meta.yaml").read_text())
    return yaml.safe_load(text.render(compiler=named("compiler"), stdlib=named("stdlib"), environ={}))


def vcpkg_manifest(port):
    return json.loads((PACKAGING / "vcpkg" / port / "vcpkg.json").read_text())


def vcpkg_calls(port, archive=None):
    """The commands of vcpkg that a portfile calls, with their arguments; or the message with which it stops."""
    commands = ("extract_source_archive", "from_github", "from_git", "find_acquire_program", "cmake_configure", "cmake_install",
                "cmake_config_fixup", "fixup_pkgconfig", "copy_tools", "install_copyright")
    script = "".join('function(vcpkg_%s)\n  message("vcpkg_%s;${ARGV}")\nendfunction()\n' % (name, name) for name in commands)
    script += 'function(file)\n  message("file;${ARGV}")\nendfunction()\n'
    folder = PACKAGING / "vcpkg" / port
    script += 'set(VERSION %s)\nset(CURRENT_PORT_DIR "%s")\n' % (project()["version"], folder)
    script += 'include("%s")\n' % (folder / "portfile.cmake")
    with tempfile.NamedTemporaryFile("w", suffix=".cmake") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(["cmake", "-P", file.name], stderr=subprocess.PIPE, universal_newlines=True,
                              env={**os.environ, **({"SCALELAW_ARCHIVE": archive} if archive else {})})
    if done.returncode:
        return " ".join(done.stderr.split())
    return [line.split(";") for line in done.stderr.splitlines()]


def project():
    """Version, description and licence as the sources say them."""
    version, description = re.search(r'^project\(scalelaw VERSION (\S+).*?DESCRIPTION "([^"]*)"', CMAKE, re.M | re.S).groups()
    assert re.match(r"\s*Apache License\s+Version 2\.0", (SOURCE / "LICENSE").read_text())
    return {"version": version, "description": description, "license": "Apache-2.0"}


def spack_needs():
    """Names that the package depends on, and each variant of boost by itself, as boost+iostreams."""
    needs = set()
    for kind, words, options in spack_package("scalelaw").calls:
        if kind == "depends_on" and options.get("type") != "test":
            name = re.match(r"[a-z0-9-]+", words[0]).group()
            needs |= {name} | {"boost" + part for part in re.findall(r"\+[a-z]+", words[0]) if name == "boost"}
    return needs


def conda_needs():
    recipe = conda_recipe()
    needs = {spec if " of " in spec else spec.split()[0] for part in recipe["requirements"].values() for spec in part}
    return needs | {"source of " + source["folder"] for source in recipe["source"] if "folder" in source}


def vcpkg_needs():
    return {need if isinstance(need, str) else need["name"] for need in vcpkg_manifest("scalelaw")["dependencies"]}


def faults_of_needs(packages, needs_of):
    """What scripts/packages.txt lists and a recipe lacks, and what a recipe has and nobody listed."""
    faults = ["scripts/packages.txt has %s: add it to the recipes of packaging/ and to COUNTERPARTS of this test" % package
              for package in packages if package not in COUNTERPARTS]
    for place, manager in enumerate(MANAGERS):
        wanted = {COUNTERPARTS[package][place]: package for package in packages if package in COUNTERPARTS}
        wanted.pop(None, None)
        needs = needs_of[manager]
        faults += ["%s's recipe lacks %s, for %s of scripts/packages.txt" % (manager, name, wanted[name])
                   for name in sorted(set(wanted) - needs)]
        faults += ["%s's recipe has %s, for which scripts/packages.txt has nothing" % (manager, name)
                   for name in sorted(needs - set(wanted) - BESIDES[manager] - boost_ports(manager))]
    return faults


def boost_ports(manager):
    """vcpkg has a port for each library of Boost: those whose headers the sources include."""
    if manager != "vcpkg":
        return set()
    files = [path for folder in ("src", "include", "apps") for path in (SOURCE / folder).rglob("*.[ch]pp")]
    return {"boost-" + name for path in files for name in re.findall(r"#include <boost/(\w+)[./]", path.read_text())}


class RecipesTest(unittest.TestCase):
    def setUp(self):
        self.needs = {"Spack": spack_needs(), "Conda": conda_needs(), "vcpkg": vcpkg_needs()}

    def test_every_dependency_is_in_every_recipe(self):
        self.assertEqual(faults_of_needs(listed_packages(), self.needs), [])
        self.assertLessEqual(boost_ports("vcpkg"), self.needs["vcpkg"])

    def test_a_dependency_that_a_recipe_lacks_is_noticed(self):
        [fault] = faults_of_needs(listed_packages() + ["libnew-dev"], self.needs)
        self.assertIn("scripts/packages.txt has libnew-dev: add it to the recipes", fault)
        for manager, name in (("Spack", "boost+iostreams"), ("Conda", "source of dragonbox"), ("vcpkg", "isal")):
            [fault] = faults_of_needs(listed_packages(), {**self.needs, manager: self.needs[manager] - {name}})
            self.assertIn("%s's recipe lacks %s, for lib" % (manager, name), fault)
        self.assertEqual(faults_of_needs([package for package in listed_packages() if package != "libzstd-dev"], self.needs),
                         ["%s's recipe has zstd, for which scripts/packages.txt has nothing" % manager for manager in MANAGERS])

    def test_version_licence_and_summary_are_those_of_the_sources(self):
        package, recipe, manifest = spack_package("scalelaw"), conda_recipe(), vcpkg_manifest("scalelaw")
        said = {kind: words[0] for kind, words, _ in package.calls if kind in ("version", "license")}
        self.assertEqual({**said, "description": package.__doc__.rstrip(".")}, project())
        self.assertEqual({"version": recipe["package"]["version"], "license": recipe["about"]["license"],
                          "description": recipe["about"]["summary"]}, project())
        self.assertEqual({name: manifest[name] for name in project()}, project())

    def test_least_versions_are_those_of_cmake(self):
        specs = " ".join(words[0] for kind, words, _ in spack_package("scalelaw").calls if kind == "depends_on")
        recipe = " ".join(spec for part in conda_recipe()["requirements"].values() for spec in part)
        everything = CMAKE + (SOURCE / "apps" / "scalelaw" / "CMakeLists.txt").read_text()
        for pattern, spack, conda in ((r"cmake_minimum_required\(VERSION ([\d.]+)", "cmake", "cmake"),
                                      (r"find_package\(Boost ([\d.]+)", "boost", "libboost-devel"),
                                      (r"find_package\(Eigen3 ([\d.]+)", "eigen", "eigen"),
                                      (r"find_package\(CLI11 ([\d.]+)", "cli11", "cli11"), (r"sqlite3>=([\d.]+)", "sqlite", "sqlite")):
            least = re.search(pattern, everything).group(1)
            self.assertIn("%s@%s:" % (spack, least), specs)
            self.assertIn("%s >=%s" % (conda, least), recipe)

    def test_options_are_those_of_cmake(self):
        known = set(re.findall(r"^(?:option|set)\((SCALELAW_\w+)", CMAKE, re.M))
        used = set(re.findall(r'(?:-D|define\w*\(")(SCALELAW_\w+)',
                              "".join(path.read_text() for path in PACKAGING.rglob("*") if path.is_file())))
        self.assertLessEqual({"SCALELAW_MPI", "SCALELAW_BUILD_TESTS"}, used)
        self.assertLessEqual(used, known)

    def test_spack_finds_the_packages(self):
        self.assertEqual(yaml.safe_load((PACKAGING / "spack" / "repo.yaml").read_text()), {"repo": {"namespace": "scalelaw"}})
        names = sorted(path.name for path in (PACKAGING / "spack" / "packages").iterdir())
        self.assertEqual(names, ["dragonbox", "gnuplot-iostream", "scalelaw"])
        self.assertEqual(spack_package("scalelaw").cmake_args(), ["-DSCALELAW_MPI=ON", "-DSCALELAW_BUILD_TESTS=False"])
        archive = "file://%s/build/dist/scalelaw-%s.tar.gz" % (SOURCE, project()["version"])
        self.assertEqual(spack_package("scalelaw").url, archive)
        self.assertTrue({"mpi", "gnuplot"} <= {words[0] for kind, words, _ in spack_package("scalelaw").calls if kind == "variant"})

    def test_conda_build_script_is_a_script(self):
        script = PACKAGING / "conda" / "build.sh"
        self.assertEqual(subprocess.run(["bash", "-n", str(script)]).returncode, 0)
        self.assertTrue(script.stat().st_mode & 0o111)
        folders = {source["folder"] for source in conda_recipe()["source"] if "folder" in source}
        self.assertTrue(all(folder in script.read_text() for folder in folders))
        archive = PACKAGING / "conda" / conda_recipe()["source"][0]["url"]
        self.assertEqual(archive.resolve(), SOURCE / "build" / "dist" / ("scalelaw-%s.tar.gz" % project()["version"]))

    def test_manifests_of_vcpkg_have_the_form(self):
        for port in ("scalelaw", "dragonbox", "gnuplot-iostream"):
            manifest = vcpkg_manifest(port)
            self.assertEqual(manifest["name"], port)
            self.assertLessEqual(set(manifest), {"name", "version", "version-date", "description", "homepage", "license", "supports",
                                                 "dependencies"})
            names = [need if isinstance(need, str) else need["name"] for need in manifest["dependencies"]]
            self.assertEqual(names, sorted(names))
            for need in manifest["dependencies"]:
                self.assertTrue(isinstance(need, str) or set(need) <= {"name", "host", "platform"}, need)
            for name in names:
                self.assertRegex(name, r"^[a-z0-9]+(-[a-z0-9]+)*$")

    def test_portfiles_run(self):
        archive = str(SOURCE / "LICENSE")  # Any file: nothing unpacks it here.
        calls = {call[0]: call[1:] for call in vcpkg_calls("scalelaw", archive)}
        self.assertEqual(calls["vcpkg_extract_source_archive"], ["SOURCE_PATH", "ARCHIVE", archive])
        self.assertLessEqual({"-DSCALELAW_MPI=OFF", "-DSCALELAW_BUILD_TESTS=OFF"}, set(calls["vcpkg_cmake_configure"]))
        for name in ("cmake_install", "cmake_config_fixup", "fixup_pkgconfig", "copy_tools", "install_copyright"):
            self.assertIn("vcpkg_" + name, calls)
        self.assertIn("There is no source archive /none: scripts/package makes it, and SCALELAW_ARCHIVE names another",
                      vcpkg_calls("scalelaw", "/none"))
        for port in ("dragonbox", "gnuplot-iostream"):
            self.assertIn("vcpkg_install_copyright", [call[0] for call in vcpkg_calls(port)])

    def test_the_weekly_recipe_calls_what_is_there(self):
        steps = [step["run"] for step in yaml.safe_load((PACKAGING / "weekly" / "scalelaw-weekly.yml").read_text())["jobs"]["check"]["strategy"]["matrix"]["include"]]
        called = {word for step in steps for word in step.split() if word.startswith("scripts/")}
        self.assertEqual(called, {"scripts/sanitize", "scripts/fuzz", "scripts/soak", "scripts/mutate"})
        for script in called:
            self.assertTrue(os.access(SOURCE / script, os.X_OK), script)
        presets = {preset["name"] for preset in json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]}
        self.assertLessEqual({name for step in steps for name in re.findall("--preset ([a-z]+)", step)}, presets)

    def test_the_headers_are_the_same_everywhere(self):
        sources = {source.get("folder"): source for source in conda_recipe()["source"]}
        [(_, [version], pinned)] = [call for call in spack_package("dragonbox").calls if call[0] == "version"]
        self.assertEqual(sources["dragonbox"]["sha256"], pinned["sha256"])
        self.assertIn("/%s.tar.gz" % version, sources["dragonbox"]["url"])
        self.assertEqual(vcpkg_manifest("dragonbox")["version"], version)
        self.assertIn(["REF", version], [call[i:i + 2] for call in vcpkg_calls("dragonbox") for i in range(len(call))])

        [(_, [date], pinned)] = [call for call in spack_package("gnuplot-iostream").calls if call[0] == "version"]
        self.assertEqual(sources["gnuplot-iostream"]["git_rev"], pinned["commit"])
        self.assertEqual(vcpkg_manifest("gnuplot-iostream")["version-date"], date)
        self.assertIn(pinned["commit"], [word for call in vcpkg_calls("gnuplot-iostream") for word in call])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
