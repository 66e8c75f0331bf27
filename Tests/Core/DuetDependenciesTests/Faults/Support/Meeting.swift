import DuetTesting

/// Suspends tasks until all have arrived.
final class Meeting: Sendable {
    private let size: Int
    private let arrivals = Tries()
    private let gate = Gate()

    init(of size: Int) {
        self.size = size
    }

    func arrive() async throws {
        if arrivals.next() >= size { gate.open() }
        try await gate.pass()
    }
}
