"""What must hold in every run file, whatever happened in the run: the accounting equations (docs/measurement.md), and
that samples, batches and counters tell one story."""


def check_undecidable(test, series):
    """Below 16 bytes nothing tells whether a message was altered: null with a reason. Counted as 0 from here on."""
    client = series["accounting"]["client"]
    if series["message_bytes"] < 16:
        test.assertIsNone(client["corrupt"])
        test.assertIn("accounting.client.corrupt", series["notes"])
        client["corrupt"] = 0
    test.assertIsNotNone(client["corrupt"])


def check_accounting(test, run):
    """The equations of docs/measurement.md, for each series of a run file."""
    for series in run["series"]:
        check_undecidable(test, series)
        client, server = series["accounting"]["client"], series["accounting"]["server"]
        where = f"{series['protocol']} {series['message_bytes']} B: {client} {server}"
        test.assertEqual(client["attempted"], client["sent"] + client["refused"] + client["skipped"], where)
        test.assertEqual(client["sent"], client["answered"] + client["late"] + client["lost"] + client["unresolved"],
                         where)
        test.assertEqual(client["frames"], client["answered"] + client["late"] + client["duplicate"] +
                         client["corrupt"] + client["malformed"] + client["stray"], where)
        if run["complete"]:
            test.assertEqual(client["unresolved"], 0, where)
        if server is not None:
            test.assertEqual(server["frames"], server["requests"] + server["repeated"] + server["malformed"] +
                             server["unarmed"], where)
            test.assertEqual(server["requests"] + server["repeated"], server["replies"] + server["reply_refused"],
                             where)
            test.assertLessEqual(server["requests"], client["sent"], where)
        check_loss(test, series, where)
        check_samples(test, run, series, where)


def check_loss(test, series, where):
    accounting = series["accounting"]
    client, server = accounting["client"], accounting["server"]
    up, down = accounting["lost_up"], accounting["lost_down"]
    if up is None:
        test.assertIn("accounting.lost_up", series["notes"], where)
    else:
        test.assertEqual(up, client["sent"] - server["requests"], where)
        test.assertEqual(client["lost"], up + down, where)
    if server is not None and client["unresolved"] == 0:
        test.assertIsNotNone(up, where)


def check_samples(test, run, series, where):
    service, client = series["service"], series["accounting"]["client"]
    if service is None or service["n"] == 0:
        test.assertFalse(service and service["min_ns"], f"a minimum of nothing: {service}")
        return
    percentiles = list(service["percentiles"].values())
    test.assertLessEqual(service["min_ns"], service["max_ns"], where)
    test.assertGreater(service["min_ns"], 0, where)
    test.assertEqual(percentiles, sorted(percentiles), where)
    test.assertEqual(service["negative"], 0, where)
    batches = sum(batch["n"] for batch in series["batches"])
    # A late reply may come in a rest, when its batch is closed.
    test.assertTrue(service["n"] - client["late"] <= batches <= service["n"], f"{batches} in batches, {where}")
    resumed = series["resume"]["n"] if series["resume"] else 0
    # Warm-up messages are in the accounting, but recorded nowhere.
    answered = client["answered"] + client["late"] - client["late_untimed"]
    test.assertLessEqual(service["n"] + resumed, answered, where)
    test.assertLessEqual(answered - service["n"] - resumed, client["warmup"], where)
    for name in ("response", "slip", "turnaround", "residence", "resume"):
        if series[name] is None:
            test.assertIn(name, series["notes"], f"{name} is null without a reason")
