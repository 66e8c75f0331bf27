/// Waits until something is so that nobody tells of; the suite's time limit ends it.
func until(_ isSo: () -> Bool) async {
    while !isSo() { await Task.yield() }
}
