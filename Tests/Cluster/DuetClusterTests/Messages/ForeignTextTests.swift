import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import Foundation
import Synchronization
import TestSupport
import Testing

/// Names, keys and headers of any length and any characters.
@Suite(.timeLimit(.minutes(5))) struct ForeignTextTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    /// Combining marks in an order in which comparing them as text takes longest.
    private static func marks(_ bytes: Int) -> String {
        String(repeating: "\u{301}\u{323}", count: bytes / 4)
    }

    private func withWorker(_ body: (any ClusterEngine) async throws -> Void) async throws {
        let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: cluster.node(), options: .test)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            try await body(cluster)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Returns when a later command of an item was handled, and so all of its earlier ones.
    private func waitForCommands(ofItem item: String) async throws {
        try await ClusterDispatcher(Shop.messages, on: cluster, options: .test).dispatch(AddStock(item: item, count: 0))
    }

    private func reason(of headers: [String: String], from engine: any ClusterEngine) async throws -> String {
        let request = Envelope(headers: headers, body: Data(#"{"item":"tea"}"#.utf8))
        let response = try await engine.queries.askWhenServed(LoadStock.messageName, request)
        return response.headers["Duet-Outcome"] == nil ? "" : String(decoding: response.body, as: UTF8.self)
    }

    @Test(arguments: [(254, true), (255, true), (256, false)])
    func `the name of a principal has at most 255 bytes`(bytes: Int, isTaken: Bool) async throws {
        try await withWorker { engine in
            for principal in [#"{"id":"\#(name(bytes))","scopes":[]}"#, #"{"id":"a","scopes":["\#(name(bytes))"]}"#] {
                let reason = try await reason(of: ["Duet-Principal": principal], from: engine)
                #expect(reason.isEmpty == isTaken)
                #expect(isTaken || reason.contains("more than 255 bytes"))
            }
        }
    }

    @Test(arguments: [(254, true), (255, true), (256, false)])
    func `an idempotency key has at most 255 bytes`(bytes: Int, isTaken: Bool) async throws {
        try await withWorker { engine in
            let key = #"["\#(name(bytes))"]"#
            let command = LoggedCommand(
                id: "1",
                key: "tea",
                message: AddStock.messageName,
                envelope: Envelope(
                    headers: ["Duet-Idempotency-Key": key],
                    body: Data(#"{"item":"tea","count":1}"#.utf8)
                )
            )
            _ = try await engine.commands.append(command)
            try await waitForCommands(ofItem: "tea")
            #expect(shop.handled.count == (isTaken ? 2 : 1))
            let reasons = try await engine.commands.deadLetters.list(limit: 10).map(\.reason)
            #expect(reasons.count == (isTaken ? 0 : 1))
            #expect(reasons.allSatisfy { $0.contains("more than 255 bytes") })
        }
    }

    @Test(arguments: [255, 256])
    func `a sender does not send what no node accepts`(bytes: Int) async throws {
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test).accepting
        let command = AddStock(item: "tea", count: 1)
        let operations: [() async throws -> Void] = [
            { try await withIdempotencyKey(name(bytes)) { try await remote.dispatch(command) } },
            { try await withPrincipal(Principal(id: name(bytes))) { try await remote.dispatch(command) } },
            {
                let principal = Principal(id: "a", scopes: [name(bytes)])
                try await withPrincipal(principal) { try await remote.dispatch(command) }
            },
        ]
        for operation in operations {
            do {
                try await operation()
                #expect(bytes <= 255)
            } catch let error as ClusterError {
                #expect(bytes > 255 && "\(error)".contains("more than 255 bytes"))
            }
        }
        #expect(try await cluster.commands.statistics().waiting == (bytes <= 255 ? 3 : 0))
    }

    @Test(arguments: [
        (["a": String(repeating: "b", count: 8_192)], true), (["a": String(repeating: "b", count: 8_193)], false),
        ([String(repeating: "a", count: 128): ""], true), ([String(repeating: "a", count: 129): ""], false),
        (many(128, 512), true), (many(129, 1), false), (many(128, 513), false),
        (["a": marks(60)], true), (["a": marks(60) + "\u{301}"], false), (["a": marks(8_192)], false),
        (["": "b"], false), (["é": "b"], false), (["a b": "b"], false), (["a\r\nb": "b"], false),
    ])
    func `headers within the limits are carried, and others refused`(
        headers: [String: String],
        isCarried: Bool
    ) async throws {
        let envelope = Envelope(headers: headers)
        let engine: any ClusterEngine = cluster
        let command = LoggedCommand(id: "1", key: "key", message: "", envelope: envelope)
        let operations: [() async throws -> Void] = [
            { _ = try await engine.queries.ask("route", envelope, timeout: .seconds(1)) },
            { _ = try await engine.commands.append(command) }, { _ = try await engine.backplane.publish(envelope) },
        ]
        for operation in operations {
            do {
                try await operation()
                #expect(isCarried)
            } catch TransportError.refused {
                #expect(!isCarried)
            } catch TransportError.noNode {
                #expect(isCarried)
            }
        }
    }

    /// A number of headers with a number of bytes each.
    private static func many(_ count: Int, _ bytes: Int) -> [String: String] {
        var headers: [String: String] = [:]
        for number in 0..<count {
            let name = "h\(number)"
            headers[name] = String(repeating: "b", count: max(0, bytes - name.utf8.count))
        }
        return headers
    }

    /// Hashing the name would take hours, so that the limit of time holds on any machine.
    @Test(.timeLimit(.minutes(1))) func `a name of megabytes is neither compared nor shown`() async throws {
        try await withWorker { engine in
            let command = LoggedCommand(id: "1", key: "tea", message: Self.marks(1 << 22), envelope: Envelope())
            _ = try await engine.commands.append(command)
            try await waitForCommands(ofItem: "tea")
            let reasons = try await engine.commands.deadLetters.list(limit: 10).map(\.reason)
            #expect(reasons.count == 1)
            // As bytes: the marks belong to the space before them.
            #expect(reasons.allSatisfy { $0.utf8.starts(with: "this node does not list ".utf8) })
            #expect(reasons.allSatisfy { $0.utf8.count < 1_000 })
        }
    }

    /// Text that would begin a line of a log, and hide the rest.
    private static let forgery = "x\r\n2030-01-01 info: paid\u{2028}\u{202E}\u{1B}[2K"

    private func isOneLine(_ text: String) -> Bool { !text.unicodeScalars.contains { $0.isInterpreted } }

    @Test(arguments: [
        Envelope(headers: ["Duet-Outcome": "failure"], body: Data(forgery.utf8)),
        Envelope(headers: ["Duet-Outcome": "error", "Duet-Error": forgery]),
        Envelope(headers: ["Duet-Outcome": forgery]), Envelope(headers: ["Duet-Version": forgery]),
    ])
    func `the error of a response does not forge a line of a log`(response: Envelope) async throws {
        let route = try await cluster.node().queries.serve(LoadStock.messageName, limit: 1) { _ in response }
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        let error = await #expect(throws: ClusterError.self) { try await remote.dispatch(LoadStock(item: "tea")) }
        let description = "\(try #require(error))"
        #expect(isOneLine(description), "\(description.debugDescription)")
        await route.stop()
    }

    @Test(arguments: [
        TransportError.noNode(route: forgery), .timedOut(route: forgery, after: .seconds(1)),
        .connectionLost(reason: forgery), .refused(reason: forgery),
    ])
    func `a failure of the cluster does not forge a line of a log`(error: TransportError) {
        #expect(isOneLine("\(error)"))
        #expect(isOneLine("\(UnknownDeadLetter(id: Self.forgery))"))
        #expect(isOneLine("\(ClusterError.notHandledInTime(message: "A", id: Self.forgery))"))
    }

    private struct Forgery: Error, CustomStringConvertible {
        var description: String { ForeignTextTests.forgery }
    }

    @Test func `the reason of a dead letter is one line`() async throws {
        shop.state.withLock { $0.failures = Array(repeating: Forgery(), count: 4) }
        try await withWorker { engine in
            await #expect(throws: ClusterError.self) { try await waitForCommands(ofItem: "tea") }
            try await waitForCommands(ofItem: "tea")
            let reasons = try await engine.commands.deadLetters.list(limit: 10).map(\.reason)
            #expect(reasons.count == 1)
            #expect(reasons.allSatisfy { isOneLine($0) })
        }
    }

    private func name(_ bytes: Int) -> String { String(repeating: "n", count: bytes) }
}
