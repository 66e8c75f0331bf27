#if Cluster

    import Duet
    import DuetCluster
    package import DuetClusterEngine
    import Foundation
    import Synchronization

    /// A cluster under test, with its nodes.
    package final class ClusterEngineSubject: Sendable {
        private let connect: @Sendable (String) async throws -> ClusterNode
        private let name = "c" + String(UInt64.random(in: .min ... .max), radix: 36)
        private let nodes = Mutex<[ClusterNode]>([])

        package init(_ connect: @escaping @Sendable (String) async throws -> ClusterNode) {
            self.connect = connect
        }

        package func node() async throws -> ClusterNode {
            let node = try await connect(name)
            nodes.withLock { $0.append(node) }
            return node
        }

        func twoNodes() async throws -> (ClusterNode, ClusterNode) { try await (node(), node()) }

        func threeNodes() async throws -> (ClusterNode, ClusterNode, ClusterNode) {
            try await (node(), node(), node())
        }

        package func disconnect() async {
            for node in nodes.withLock({ $0 }) { await node.disconnect() }
        }
    }

    /// The time that a check waits for something that should happen at once.
    package enum WaitLimit {
        @TaskLocal package static var current = Duration.seconds(20)
    }

    /// Runs an operation that must end in time.
    package func within<Value: Sendable>(
        _ what: String,
        limit: Duration = WaitLimit.current,
        _ operation: @Sendable @concurrent @escaping () async throws -> Value
    ) async throws -> Value {
        try await withTimeout(
            limit,
            clock: ContinuousClock(),
            error: ContractViolation("\(what): not within \(limit)")
        ) {
            try await operation()
        }
    }

    /// Waits for the end of a task, also of one that ignores its cancellation.
    package func result<Value: Sendable>(
        of task: Task<Value, any Error>,
        _ what: String
    ) async throws -> Result<Value, any Error> {
        let results = Observations<Result<Value, any Error>>()
        Task { results.append(await task.result) }
        return try await results.wait(1, what)[0]
    }

    /// Waits until a condition is met that can only be polled.
    ///
    /// - Parameter condition: Returns nil when it is met, otherwise a description of the current state.
    package func eventually(_ what: String, _ condition: () async throws -> String?) async throws {
        let clock = ContinuousClock()
        let limit = WaitLimit.current
        let end = clock.now.advanced(by: limit)
        while let state = try await condition() {
            guard clock.now < end else { throw ContractViolation("\(what): not within \(limit), but \(state)") }
            try await clock.sleep(for: .milliseconds(10))
        }
    }

    /// Checks that an operation throws an error, and no other one of its type.
    package func expect<Failure: Error & Equatable>(
        _ error: Failure,
        from what: String,
        _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let found as Failure {
            return try require(found, toBe: error, "the error of \(what)")
        }
        throw ContractViolation("\(what): expected the error \"\(error)\", found none")
    }

    /// Checks that an operation refuses an envelope with one byte more than the limit, and takes one with the limit.
    package func expectLimit(of what: String, _ body: (Envelope) async throws -> Void) async throws {
        let limit: Int
        do {
            try await body(Envelope(body: Data(count: 1 << 25)))
            throw ContractViolation("\(what) of 32 MiB: expected TransportError.tooLarge, found no error")
        } catch TransportError.tooLarge(let bytes, let found) {
            try require(bytes, toBe: 1 << 25, "the number of bytes that the error of \(what) names")
            limit = found
        }
        let headers = ["name": "value"]
        let size = Envelope(headers: headers).size
        try await body(Envelope(headers: headers, body: Data(count: limit - size)))
        try await expect(
            TransportError.tooLarge(bytes: limit + 1, limit: limit),
            from: "\(what), one byte above the limit"
        ) {
            try await body(Envelope(headers: headers, body: Data(count: limit - size + 1)))
        }
    }

    /// Values that handlers record, in order.
    package final class Observations<Value: Sendable>: Sendable {
        private let values = Monitor<[Value]>([])

        package var all: [Value] { values.read { $0 } }

        package init() {}

        package func append(_ value: Value) { values.update { $0.append(value) } }

        @discardableResult
        package func wait(_ count: Int, _ what: String) async throws -> [Value] {
            try await wait(until: what) { $0.count >= count }
        }

        /// Waits until the values meet a condition, and returns them.
        @discardableResult
        package func wait(
            until what: String,
            _ condition: @escaping @Sendable ([Value]) -> Bool
        ) async throws -> [Value] {
            do {
                return try await within(what) { [self] in
                    try await values.wait { condition($0) ? $0 : nil }
                }
            } catch let violation as ContractViolation {
                throw ContractViolation("\(violation); observed until then: \(all)")
            }
        }
    }

    extension Envelope {
        package init(_ text: String) { self.init(body: Data(text.utf8)) }

        package var text: String { String(decoding: body, as: UTF8.self) }

        /// Envelopes that are hard to carry.
        static let samples = [
            Envelope(),
            Envelope(body: Data([0])),
            Envelope(headers: ["a": ""], body: Data(0...255)),
            Envelope(
                headers: ["Trace-Id": "a: b; c=\"d\"", "principal": "\u{3A9}\u{1F600}"],
                body: Data("\r\n\r\n".utf8)
            ),
            Envelope(
                headers: ["spaces": "  two  ", "percent": "%20", "tab": "a\tb"],
                body: Data(repeating: 7, count: 100_000)
            ),
        ]
    }

#endif
