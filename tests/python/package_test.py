#!/usr/bin/env python3
"""The Python package: tables of every kind, results, errors, Ctrl-C. NumPy and pandas are used where they are installed."""
import array
import contextlib
import csv
import doctest
import io
import itertools
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import scalelaw as sl
from scalelaw import _arrow, _library
from stand_ins import ArrowStream, Column, Frame, Interchanged, Piece

DEMO = "data/demo/runs.csv"
GPUS = [1, 2, 4, 8]
SECONDS = [800.0, 400.0, 200.0, 100.0]


def demo_columns():
    with open(DEMO, newline="") as file:
        rows = list(csv.DictReader(file))
    number = {"gpus", "epoch_seconds", "power_cap_w", "clock_mhz"}
    return {name: [float(row[name]) if name in number else row[name] for row in rows] for name in rows[0]}


class Tables(unittest.TestCase):
    def test_lists_buffers_and_rows_are_the_same_table(self):
        expected = sl.fit({"gpus": GPUS, "seconds": SECONDS}).to_json()
        self.assertEqual(sl.fit({"gpus": array.array("i", GPUS), "seconds": array.array("f", SECONDS)}).to_json(), expected)
        rows = [{"gpus": x, "seconds": y} for x, y in zip(GPUS, SECONDS)]
        self.assertEqual(sl.fit(rows).to_json(), expected)

    def test_a_table_named_as_a_file_gives_the_document_of_the_file(self):
        table = sl.Table(demo_columns(), DEMO)
        self.assertEqual(sl.fit(table).to_json(), sl.fit(DEMO).to_json())
        self.assertEqual(sl.contrast(table, factor="power_cap_w").to_json(), sl.contrast(DEMO, factor="power_cap_w").to_json())

    def test_names_with_commas_quotes_and_line_feeds_are_kept(self):
        model = ['a "b", c', "d\ne", "#f", " g"]
        fits = sl.fit({"gpus": GPUS * 4, "seconds": SECONDS * 4, "model": [name for name in model for _ in GPUS]}, by="model")
        self.assertEqual({fit["group"]["model"] for fit in fits}, {'a "b", c', "d\ne", "#f", "g"})

    def test_missing_values_are_counted(self):
        fits = sl.fit({"gpus": [1, 2, 4, 8, 16], "seconds": [*SECONDS, None]})
        self.assertEqual(fits.document["rows"], {"read": 5, "used": 4, "missing": 1, "bad": 0, "filtered": 0, "failed": 0})

    def test_one_column_alone_is_a_table(self):
        values = [1.5 * (1 - (i + 0.5) / 400) ** (-1 / 1.5) for i in range(400)]
        self.assertEqual(sl.tail({"bytes sent": values}, y="bytes sent").document["rows"]["read"], 400)

    def test_conditions_with_several_values_keep_all_of_them(self):
        expected = sl.fit(DEMO, where="gpus=1,2,4,8,16", by="model").document["fits"]
        for values in ([1, 2, 4, 8, 16], (1.0, 2.0, 4.0, 8.0, 16.0), {1, 2, 4, 8, 16}, array.array("i", [1, 2, 4, 8, 16]), "1,2,4,8,16".split(",")):
            self.assertEqual(sl.fit(DEMO, where={"gpus": values}, by="model").document["fits"], expected, values)
        self.assertEqual(sl.fit({"gpus": GPUS * 2, "seconds": SECONDS * 2, "model": ["a"] * 4 + [None] * 4}, where={"model": None}).document["rows"]["used"], 4)
        for condition in ({"model": ["a,b"]}, {"model": "a,b"}, {"gpus": []}, {"gpus<": 4}):
            with self.assertRaises(sl.OptionError):
                sl.fit(DEMO, where=condition)

    def test_a_text_with_nul_is_refused(self):
        runs = {"gpus": GPUS * 2, "seconds": SECONDS * 2}
        for table in ({**runs, "model": ["a\0b"] * 4 + ["a\0c"] * 4}, {**runs, "mo\0del": ["a"] * 8}, sl.Table(runs, "a\0b")):
            with self.assertRaisesRegex(sl.DataError, "holds NUL"):
                sl.fit(table)

    def test_what_is_no_table_is_refused(self):
        with self.assertRaises(TypeError):
            sl.fit([1, 2, 3])
        with self.assertRaisesRegex(sl.DataError, "'gpus' has 3 rows"):
            sl.fit({"seconds": SECONDS, "gpus": [1, 2, 4]})


class Frames(unittest.TestCase):
    def setUp(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        self.pandas = pandas

    def test_a_frame_gives_the_document_of_its_file(self):
        frame = self.pandas.read_csv(DEMO)
        expected = sl.fit(DEMO).to_json()
        self.assertEqual(sl.fit(sl.Table(frame, DEMO)).to_json(), expected)
        frame["model"] = frame["model"].astype("category")
        self.assertEqual(sl.fit(sl.Table(frame, DEMO)).to_json(), expected)
        frame["gpus"] = frame["gpus"].astype("Int64")
        frame["model"] = frame["model"].astype("string")
        frame["when"] = self.pandas.Timestamp("2026-01-02 03:04:05")
        frame["flag"] = frame["gpus"] > 4
        fits = sl.fit(sl.Table(frame, DEMO), by=["model", "power_cap_w", "clock_mhz"])
        self.assertEqual(fits.to_json().split('"rows"')[1], expected.split('"rows"')[1])

    def test_several_columns_of_categories_are_the_table_of_their_texts(self):
        import numpy

        random = numpy.random.default_rng(5)
        rows = 3000
        gpus = 2.0 ** random.integers(0, 5, rows)
        texts = {name: random.choice([f"{name}{i}" for i in range(count)], rows) for name, count in
                 (("model", 5), ("system", 2), ("precision", 3))}
        frame = self.pandas.DataFrame({**texts, "gpus": gpus, "seconds": 100 / gpus + random.random(rows)})
        by = list(texts)
        frame.loc[::97, "system"] = None
        expected = sl.fit(sl.Table(frame, "t"), x="gpus", y="seconds", by=by, skip_bad_rows=True)
        for name in by:
            frame[name] = frame[name].astype("category")
        coded = sl.fit(sl.Table(frame, "t"), x="gpus", y="seconds", by=by, skip_bad_rows=True)
        self.assertGreaterEqual(len(coded), 30)
        self.assertEqual(coded.to_json(), expected.to_json())

    def test_slices_and_columns_of_a_block_are_read_in_their_order(self):
        frame = self.pandas.DataFrame([[1, 800.0], [2, 400.0], [4, 200.0], [8, 100.0], [16, 3.0]], columns=["gpus", "seconds"])
        self.assertAlmostEqual(float(sl.fit(frame[:4])[()].beta), 1, 9)
        self.assertAlmostEqual(float(sl.fit(frame[3::-1])[()].beta), 1, 9)

    def test_results_are_frames(self):
        frame = sl.fit(DEMO, by=["model", "power_cap_w"], where="clock_mhz=1380").to_pandas()
        self.assertIn("beta", frame.columns)
        self.assertEqual([str(kind) for kind in frame[["model", "power_cap_w", "n", "beta"]].dtypes], ["object", "int64", "int64", "float64"])
        self.assertEqual(sl.fit(DEMO, by="model").to_pandas().shape[0], len(sl.fit(DEMO, by="model")))

    def test_levels_of_an_index_are_columns(self):
        frame = self.pandas.read_csv(DEMO)
        by = ["model", "power_cap_w", "clock_mhz"]
        expected = sl.fit(sl.Table(frame, DEMO)).document["fits"]
        self.assertEqual(len(expected), len(frame.drop_duplicates(by)))
        for levels in (["model"], by):
            self.assertEqual(sl.fit(sl.Table(frame.set_index(levels), DEMO), by=by).document["fits"], expected)
        self.assertEqual(sl.fit(sl.Table(frame.set_index("model", drop=False), DEMO)).document["fits"], expected)

    def test_masked_arrays_keep_their_mask(self):
        import numpy

        for seconds in ([*SECONDS, 77.0], [800, 400, 200, 100, 77]):
            masked = numpy.ma.array(seconds, mask=[0, 0, 0, 0, 1])
            fits = sl.fit({"gpus": [*GPUS, 16], "seconds": masked})
            self.assertEqual((fits.document["rows"]["used"], fits.document["rows"]["missing"]), (4, 1))
        days = numpy.ma.array(["2026-01-01"] * 4 + ["2026-01-02"] * 4, dtype="datetime64[D]", mask=[0] * 4 + [1] * 4)
        names = numpy.ma.array(["a"] * 4 + ["b"] * 4, mask=[0] * 4 + [1] * 4)
        for column in (days, names):
            fits = sl.fit({"gpus": GPUS * 2, "seconds": SECONDS * 2, "group": column}, where="group!=")
            self.assertEqual((len(fits), fits.document["rows"]["used"]), (1, 4))

    def test_times_keep_their_zone(self):
        night = self.pandas.to_datetime(["2026-06-03 01:00"] * 4 + ["2026-06-04 01:00"] * 4).tz_localize("Asia/Tokyo")
        frame = self.pandas.DataFrame({"gpus": GPUS * 2, "seconds": SECONDS * 2, "date": night})
        self.assertEqual([fit["group"]["date"] for fit in sl.fit(frame, by="date")], ["2026-06-03 01:00:00+09:00", "2026-06-04 01:00:00+09:00"])
        for data in (frame, frame.assign(date=night.tz_convert("+09:00")), {name: frame[name] for name in frame}):
            self.assertEqual(sl.fit(data, where="date=2026-06-03").document["rows"]["used"], 4)

    def test_numpy_arrays_are_not_copied(self):
        import numpy

        gpus = numpy.array(GPUS * 2, dtype=numpy.int16)
        days = numpy.array(["2026-01-01"] * 4 + ["2026-01-02"] * 4, dtype="datetime64[D]")
        fits = sl.fit({"gpus": gpus, "seconds": numpy.array(SECONDS * 2), "day": days}, by="day")
        self.assertEqual([fit["group"]["day"] for fit in fits], ["2026-01-01 00:00:00", "2026-01-02 00:00:00"])


class OfProtocols(unittest.TestCase):
    """Tables by what they can do: frames of libraries that are not installed here are stood in for."""

    def test_a_frame_of_another_library_gives_the_document_of_its_file(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.read_csv(DEMO, dtype={"power_cap_w": "category"})
        frame["when"] = pandas.Timestamp("2026-01-02 03:04:05")
        frame["flag"] = frame["gpus"] > 4
        frame["odd"] = [[]] * len(frame)
        frame["empty"] = pandas.Categorical([None] * len(frame))
        expected = sl.fit(DEMO, by=["model", "power_cap_w", "clock_mhz"]).to_json()
        other = sl.Table(Interchanged(frame), DEMO)
        self.assertEqual(sl.fit(other, by=["model", "power_cap_w", "clock_mhz"]).to_json(), expected)
        self.assertEqual([fit["group"]["when"] for fit in sl.fit(other, by="when")], ["2026-01-02 03:04:05"])
        self.assertEqual([fit["group"]["flag"] for fit in sl.fit(other, by="flag")], ["False", "True"])

    def test_chunks_masks_and_offsets_of_a_frame_are_read(self):
        gpus = Column((0, 32, "i", "="), [Piece("i", [9, 1, 2, 4], offset=1), Piece("i", [8, 1, 2, 4, 8])])
        seconds = Column((2, 64, "g", "="), [Piece("d", SECONDS[:3]), Piece("d", [100.0, 4, 2, 7, 0.5], valid=0b10111)], null=(3, 0))
        names = "a,bccé"
        model = Column((21, 8, "u", "="), [Piece(names[:3], [0, 3, 3, 3]), Piece(names, [0, 3, 7, 7, 7, 7], valid=0b01111)], null=(3, 0))
        day = Column((22, 32, "tdD", "="), [Piece("i", [20454] * 3), Piece("i", [20454] * 5)])
        fast = Column((20, 1, "b", "="), [Piece("B", [0b111], rows=3), Piece("B", [0b11111], rows=5)])
        frame = Frame(gpus=gpus, seconds=seconds, model=model, day=day, fast=fast)
        fits = sl.fit(frame, by=["day", "fast"])
        self.assertEqual(fits.document["rows"], {"read": 8, "used": 7, "missing": 1, "bad": 0, "filtered": 0, "failed": 0})
        self.assertEqual(fits.document["fits"][0]["group"], {"day": "2026-01-01", "fast": "True"})
        document = sl.fit(frame, by="model").document
        self.assertEqual([one["group"]["model"] for one in document["fits"] + document["failed"]], ["a,b", "cc\u00e9"])

    def test_instants_of_arrow_keep_their_zone(self):
        def runs(zone):  # 2026-06-02 16:00 and 2026-06-03 16:00 UTC.
            return ArrowStream(("gpus", b"l", [GPUS * 2]), ("seconds", b"g", [SECONDS * 2]), ("date", b"tss:" + zone, [[1780416000] * 4 + [1780502400] * 4]))

        for zone, first in ((b"", "2026-06-02 16:00:00"), (b"UTC", "2026-06-02 16:00:00+00:00"), (b"+09:00", "2026-06-03 01:00:00+09:00"),
                            (b"Etc/UTC", "2026-06-02 16:00:00+00:00"), (b":30", "2026-06-02 16:00:00 UTC, shown in :30"),
                            (b"Asia/Tokyo", "2026-06-02 16:00:00 UTC, shown in Asia/Tokyo")):
            self.assertEqual(sl.fit(runs(zone), by="date").document["fits"][0]["group"]["date"], first)
        self.assertEqual(sl.fit(runs(b"+09:00"), where="date=2026-06-03").document["rows"]["used"], 4)
        with self.assertRaisesRegex(sl.DataError, "UTC, shown in Asia"):  # What is no date has no order.
            sl.fit(runs(b"Asia/Tokyo"), where="date>=2026-06-03")

    def test_an_arrow_stream_is_read_and_released(self):
        rows = ArrowStream(("gpus", b"l", [[1, 2], [4, 8]]), ("seconds", b"g", [SECONDS[:2], SECONDS[2:]]))
        expected = sl.fit({"gpus": GPUS, "seconds": SECONDS}).to_json()
        self.assertEqual(sl.fit(rows).to_json(), expected)
        self.assertEqual(rows.released, {"stream": 1, "schema": 1, "array": 2})

    def test_a_stream_that_fails_is_told_and_the_call_is_freed(self):
        class Broken:
            def __arrow_c_stream__(self, requested_schema=None):
                raise RuntimeError("the table is gone")

        freed = []
        library = _library.library()
        free = library.scalelaw_call_free
        with unittest.mock.patch.object(library, "scalelaw_call_free", lambda call: freed.append(free(call))):
            with self.assertRaisesRegex(RuntimeError, "the table is gone"):
                sl.fit(Broken())
        self.assertEqual(len(freed), 1)


def _arrow_text(letter, value):
    return "" if value is None else value if letter == "u" else str(value).lower() if letter == "b" else float(value)


def _csv_text(letter, cell):
    return cell if letter in "ub" or not cell else float(cell)


class Results(unittest.TestCase):
    def test_groups_are_found_by_their_values(self):
        fits = sl.fit(DEMO, by=["model", "power_cap_w"], where={"clock_mhz": 1380})
        beta = fits["BERT", 250].beta
        self.assertEqual(float(beta), beta.estimate)
        self.assertLess(beta.ci[0], beta.estimate)
        self.assertLess(beta.estimate, beta.ci[1])
        with self.assertRaisesRegex(KeyError, "there is no group"):
            fits["BERT", 251]
        self.assertIn("beta", repr(fits))
        self.assertIn("<table", fits._repr_html_())
        self.assertEqual(fits.to("markdown").count("| BERT        | 250         |"), 1)

    def test_tables_of_results_are_arrow_with_their_types(self):
        runs = {"gpus": GPUS * 2 + [1], "seconds": SECONDS + [900.0, 450.0, 225.0, 112.5, 7.0],
                "cap": [250] * 8 + [100], "model": ["007"] * 4 + ["BERT"] * 4 + ["007"]}
        fits = sl.fit(runs, by=["cap", "model"])
        columns = {name: (letter, values) for name, letter, values in _arrow.columns_of(fits._again.arrow)}
        self.assertEqual(columns["cap"], ("l", [100, 250, 250]))
        self.assertEqual(columns["model"], ("u", ["007", "007", "BERT"]))
        self.assertEqual(columns["status"], ("u", ["failed", "ok", "ok"]))
        self.assertEqual(columns["n"], ("l", [None, 4, 4]))
        self.assertEqual(columns["code"], ("u", ["too-few-points", None, None]))
        letter, betas = columns["beta"]
        self.assertEqual((letter, [beta and round(beta, 9) for beta in betas]), ("g", [None, 1, 1]))

    def test_a_stream_of_arrow_is_read_back_as_a_table(self):
        class Shown:  # A result itself would be read as its document.
            def __init__(self, result):
                self.__arrow_c_stream__ = result.__arrow_c_stream__

        first = sl.fit(DEMO, by=["model", "power_cap_w"])
        again = sl.fit(Shown(first), x="power_cap_w", y="alpha", by="model")
        self.assertEqual(again.document["rows"]["used"], len(first))
        first.__arrow_c_stream__()  # A stream that nobody takes over is freed with its capsule.

    def test_every_command_has_a_table_of_arrow(self):
        losses = dict(x=["parameters", "tokens"], y="loss")
        results = [sl.fit(DEMO), sl.rank(DEMO), sl.contrast(DEMO, factor="power_cap_w"), sl.caps(DEMO, setting="power_cap_w"), sl.energy(DEMO),
                   sl.pareto(DEMO, knobs=["power_cap_w", "gpus"]), sl.predict(DEMO, at=512), sl.plan(DEMO, target=512), sl.gate(DEMO, DEMO),
                   sl.look(DEMO), sl.tail("data/tail/durations.csv"), sl.isoflop("data/isoflop/runs.csv", at_compute=1e22),
                   sl.budget("data/budget/runs.csv", days=7, gpus=64), sl.fit("data/two_scales/runs.csv", law="chinchilla", **losses),
                   sl.isoflop("data/sweeps/runs.csv", over="lr"), sl.predict(DEMO, backtest=True)]
        for result in results:
            with self.subTest(result.document["schema"]):
                columns = _arrow.columns_of(result._again.arrow)
                rows = list(csv.reader(io.StringIO(result.to_csv())))
                self.assertEqual([name for name, _, _ in columns], rows[0])
                for name, letter, values in columns:
                    cells = [row[rows[0].index(name)] for row in rows[1:]]
                    self.assertEqual([_arrow_text(letter, value) for value in values], [_csv_text(letter, cell) for cell in cells], name)

    def test_a_gate_is_true_where_it_passed_and_other_results_are_neither(self):
        slower = {name: [2 * one for one in values] if name == "epoch_seconds" else values for name, values in demo_columns().items()}
        passed, failed = sl.gate(DEMO, DEMO), sl.gate(DEMO, slower)
        self.assertTrue(passed)
        self.assertFalse(failed)
        self.assertGreater(len(failed), 0)
        self.assertFalse(sl.gate(DEMO, slower, format="markdown"))
        for result in (sl.fit(DEMO), sl.predict(DEMO, at=512)):
            with self.assertRaisesRegex(ValueError, "neither true nor false"):
                bool(result)

    def test_what_was_left_out_is_told(self):
        runs = {"gpus": [*GPUS, 16], "seconds": [*SECONDS, None]}
        with self.assertLogs("scalelaw", "WARNING") as logged:
            fits = sl.fit(runs)
            texts = [fits.warnings, [repr(fits)], [fits._repr_html_()], sl.fit(runs, format="csv").warnings, [record.getMessage() for record in logged.records]]
        for text in texts:
            self.assertRegex("\n".join(text), "1 of 5 rows has no value of (&#x27;|')seconds")

    def test_texts_have_their_status_and_what_was_said(self):
        text = sl.fit({"gpus": [*GPUS, 16], "seconds": [*SECONDS, None]}, format="csv")
        copied = pickle.loads(pickle.dumps(text))
        self.assertEqual((copied, copied.status, copied.warnings, copied.notes), (text, 0, text.warnings, text.notes))
        self.assertTrue(copied.passed and text.notes)

    def test_fits_forecast_and_are_gated(self):
        fits = sl.fit(DEMO, by="model", where={"power_cap_w": 250, "clock_mhz": 1380})
        forecast = fits.predict([512, 1024])
        self.assertEqual(forecast.status, 0)
        gate = sl.gate(fits, DEMO, where=["power_cap_w=250", "clock_mhz=1380"])
        self.assertTrue(gate.passed)

    def test_the_newest_night_of_a_table_in_memory_is_judged(self):
        runs = {"date": [], "gpus": [], "seconds": []}
        for night, gpus, run in itertools.product(range(1, 7), (1, 2, 4, 8), range(2)):
            runs["date"].append(f"2026-05-{night:02d}")
            runs["gpus"].append(gpus)
            runs["seconds"].append(100 / gpus**0.9 * (1.2 if night == 6 else 1) * (1 + 0.001 * run + 0.0005 * ((night * 7 + gpus) % 5)))
        slower = sl.gate(runs)
        self.assertFalse(slower.passed)
        self.assertEqual(slower.document["nights"], 5)
        self.assertIn("NEW is its newest night, 2026-05-06", slower.document["warnings"][-1])
        self.assertEqual([quantity["kind"] for quantity in slower.document["quantity"]], ["time"])
        before = sl.gate(runs, night="date", where="date<=2026-05-05")
        self.assertTrue(before.passed)

    def test_a_figure_is_svg(self):
        try:
            figure = sl.plot("scaling", DEMO, where="model=BERT")
        except sl.DataError as error:
            self.assertIn("gnuplot", str(error))
            self.skipTest("gnuplot is not installed")
        self.assertTrue(figure.svg.startswith("<?xml"))
        self.assertRegex(figure._repr_svg_(), '^<svg width="900" height="[0-9]+" xmlns="http://www.w3.org/2000/svg"')

    def test_a_notebook_shows_the_figure_of_few_groups(self):
        few = sl.fit(DEMO, by="power_cap_w", where=["model=BERT", "clock_mhz=1380"])
        try:
            few.plot()
        except sl.DataError as error:
            self.assertIn("gnuplot", str(error))
            self.skipTest("gnuplot is not installed")
        for result in (few, sl.predict(DEMO, at=[512], where=["model=BERT", "clock_mhz=1380"]), sl.caps(DEMO, setting="power_cap_w", where=["model=BERT", "clock_mhz=1380"]),
                       sl.energy(DEMO, where=["model=BERT", "clock_mhz=1380", "power_cap_w=250"]), sl.pareto(DEMO, where="model=BERT")):
            self.assertRegex(result._repr_html_(), '<table[\\s\\S]*<img style="max-width:100%" src="data:image/svg\\+xml;base64,[A-Za-z0-9+/=]+" alt="[^"<]+">$')
        self.assertNotIn("<img", sl.fit(DEMO, by=["model", "power_cap_w"], where={"clock_mhz": 1380})._repr_html_())  # 12 groups.
        self.assertNotIn("<img", sl.rank(DEMO, by="power_cap_w", where=["model=BERT", "clock_mhz=1380"])._repr_html_())

    def test_texts_of_other_commands(self):
        self.assertTrue(sl.generate().startswith("model,"))
        self.assertIn("curved", sl.help("curved"))


class Errors(unittest.TestCase):
    def test_each_kind_has_its_exception(self):
        with self.assertRaisesRegex(sl.DataError, "no such file or folder"):
            sl.fit("nowhere.csv")
        with self.assertRaisesRegex(sl.OptionError, "there is no 'powr', did you mean 'power'"):
            sl.fit(DEMO, law="powr")
        with self.assertRaises(TypeError):
            sl.fit(DEMO, lwa="power")
        with self.assertRaisesRegex(TypeError, "multiple values"):
            sl.fit(DEMO, input=DEMO)
        with self.assertRaises(TypeError):
            sl.fit(DEMO, DEMO)
        with self.assertRaises(AttributeError):
            sl.fitt
        with self.assertRaises(sl.ParseError) as caught:
            sl.fit({"gpus": GPUS, "seconds": ["800", "400", "2o0", "100"]})
        self.assertEqual(caught.exception.place, "table:4")

    def test_ctrl_c_ends_a_call(self):
        # A test that runs in the background may ignore the signal.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            while time.monotonic() - begin < 60:
                sl.fit(DEMO, bootstrap=1000000, threads=1)
        timer.join()

    def test_a_call_forgets_the_options_of_those_before(self):
        plain = [sl.fit(DEMO).to_json(), sl.predict(DEMO, at="512").to_json(), sl.gate(DEMO, DEMO).to_json()]
        for _ in range(3):
            sl.fit(DEMO, law="amdahl", by=["model"], where=["gpus<=64"], confidence=0.5, se="hc3", details=True, quiet=True)
            with self.assertRaises(sl.OptionError):
                sl.fit(DEMO, law="floor", bootstrap=99, confidence=7)
            with self.assertRaises(sl.DataError):
                sl.fit(DEMO, by=["nothing"], threads=1)
            sl.predict(DEMO, at="4096", law="usl", deadline="2h", gpu_price="3 EUR")
            sl.gate(DEMO, DEMO, confidence=0.5, by=["model"])
            self.assertEqual(plain, [sl.fit(DEMO).to_json(), sl.predict(DEMO, at="512").to_json(),
                                     sl.gate(DEMO, DEMO).to_json()])

    def test_a_call_forgets_the_settings_file_of_one_before(self):
        plain = sl.fit(DEMO, print_config=True)
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as settings:
            settings.write('confidence = 0.5\nskip-bad-rows = true\n')
            settings.flush()
            self.assertNotEqual(str(sl.fit(DEMO, config=settings.name, print_config=True)), str(plain))
            sl.fit(DEMO, config=settings.name)
        self.assertEqual(str(sl.fit(DEMO, print_config=True)), str(plain))

    def test_eight_threads_call_at_once(self):
        expected = sl.fit(DEMO).to_json()
        differ = []

        def work():
            for _ in range(3):
                if sl.fit(DEMO).to_json() != expected:
                    differ.append(1)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(differ, [])


class Reports(unittest.TestCase):
    def test_a_report_is_a_page_or_what_the_page_decides(self):
        self.assertIn("<html", sl.report(DEMO, where="model=BERT"))
        decided = sl.report(DEMO, where="model=BERT", format="json").document
        self.assertEqual(decided["schema"], "scalelaw.report/1")
        advice = decided["groups"][1]["settings"][0]
        self.assertEqual((advice["setting"], advice["rival"], advice["undecided"], advice["trust"]), ("250", "200", True, "fair"))
        self.assertEqual(advice["setting"], sl.caps(DEMO, where="model=BERT", setting="power_cap_w").document["caps"][0]["advice"]["setting"])


class Package(unittest.TestCase):
    def test_every_command_has_a_function_with_its_options(self):
        for name in ("fit rank contrast caps energy pareto predict plan gate tail isoflop budget replay ingest store "
                     "history report look plot plot_replay plot_budget").split():
            function = getattr(sl, name)
            self.assertTrue(function.__doc__)
            self.assertIn(name, dir(sl))
        self.assertIn("skip_bad_rows", sl.fit.__signature__.parameters)

    def test_examples_of_docstrings_hold(self):
        self.assertEqual(doctest.testmod(sl).failed, 0)

    def test_an_import_takes_no_other_package(self):
        code = "import sys, scalelaw; print([m for m in ('numpy', 'pandas', 'json', 'ctypes') if m in sys.modules])"
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout, "[]\n")


if __name__ == "__main__":
    unittest.main()
