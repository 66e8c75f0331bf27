#if Cluster

    import Duet
    package import DuetCluster
    import DuetClusterEngine
    import DuetContracts
    import Foundation

    /// Envelopes that a node of this version cannot read, for tests of engines and nodes.
    package enum MalformedEnvelope: CaseIterable, Sendable {
        case empty, truncated, noJSON, wrongType, missingProperty, deeplyNested
        case wordAsVersion, laterVersion, hugeVersion, principal, idempotencyKey
        case deadline, wordAsDeadline, writeToken

        /// Sends each as a command and as a query to a node, which must name the fault and then handle a valid one.
        ///
        /// - Throws: ``ContractViolation``.
        package static func check(from sender: any ClusterEngine, to node: any ClusterEngine) async throws {
            let notes = Observations<String>()
            let dispatcher = try StandardDispatcher {
                EchoTextHandler()
                NoteTextHandler(notes: notes)
            }
            let delays = RetryPolicy(backoff: .constant(.milliseconds(5)), jitter: false)
            let options = ClusterOptions(attempts: 2, handlingDelays: delays)
            let worker = try ClusterWorker(messages, dispatcher, on: node, options: options)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                try await check(from: sender, notes)
                group.cancelAll()
                try await group.waitForAll()
            }
        }

        private static func check(from sender: any ClusterEngine, _ notes: Observations<String>) async throws {
            let remote = try ClusterDispatcher(messages, on: sender, options: .patient)
            try require(try await remote.dispatch(EchoText(text: "first")), toBe: "first", "the value of a valid query")
            for (number, envelope) in allCases.enumerated() {
                try await envelope.check(number, from: sender)
                try await remote.dispatch(NoteText(text: "\(envelope)"))
                let value = try await remote.dispatch(EchoText(text: "\(envelope)"))
                try require(value, toBe: "\(envelope)", "the value of a valid query after \(envelope)")
            }
            for (number, place) in ["1", " ", " 1", "nobody 1"].enumerated() {
                var command = LoggedCommand(
                    id: "reply \(number)",
                    key: "key",
                    message: NoteText.messageName,
                    envelope: valid
                )
                command.envelope.headers["Duet-Reply"] = place
                _ = try await sender.commands.append(command)
            }
            for event in events { try await sender.backplane.publish(event) }
            let unknown = LoggedCommand(id: "unknown", key: "key", message: "Unknown", envelope: valid)
            _ = try await sender.commands.append(unknown)
            try await remote.dispatch(NoteText(text: "last"))
            try await expectLetter("unknown", reason: "does not list Unknown", sender)
            try require(
                notes.all,
                toBe: allCases.map { "\($0)" } + ["a", "a", "a", "a", "last"],
                "the commands that were handled"
            )
            try await checkSize(remote)
        }

        private static func checkSize(_ remote: ClusterDispatcher) async throws {
            let text = String(repeating: "x", count: 1 << 21)
            for isCommand in [true, false] {
                do {
                    if isCommand {
                        try await remote.accepting.dispatch(NoteText(text: text))
                    } else {
                        _ = try await remote.dispatch(EchoText(text: text))
                    }
                    throw ContractViolation("a message of 2 MiB: expected TransportError.tooLarge, found no error")
                } catch let error as TransportError {
                    guard case .tooLarge(let bytes, let limit) = error, bytes > 1 << 21 else { throw error }
                    try require("\(error)".contains("\(limit)"), toBe: true, "the description names the limit")
                }
            }
        }

        private func check(_ number: Int, from sender: any ClusterEngine) async throws {
            if let reason = queryReason {
                let answer = try await sender.queries.ask(EchoText.messageName, envelope, timeout: .seconds(3_600))
                let found = answer.headers["Duet-Outcome"] == "failure" ? answer.text : "\(answer.headers)"
                try require(found.contains(reason), toBe: true, "\(self): the answer \"\(found)\" names the fault")
            } else {
                _ = try await sender.queries.ask(EchoText.messageName, envelope, timeout: .seconds(3_600))
            }
            guard let reason else { return }
            let name = NoteText.messageName
            let command = LoggedCommand(id: "\(number)", key: "key", message: name, envelope: envelope)
            _ = try await sender.commands.append(command)
            try await Self.expectLetter("\(number)", reason: reason, sender)
        }

        private static func expectLetter(_ id: String, reason: String, _ sender: any ClusterEngine) async throws {
            try await eventually("the dead letter \(id) names the fault") {
                let letters = try await sender.commands.deadLetters.list(limit: 100)
                guard let letter = letters.first(where: { $0.command.id == id }) else { return "there is none" }
                return letter.reason.contains(reason) ? nil : "its reason is \(letter.reason)"
            }
        }

        private static let messages = MessageAPI("open", authorized: .open) {
            EchoText.self
            NoteText.ordered(by: { _ in "key" })
        }

        private static let valid = Envelope(body: Data(#"{"text":"a"}"#.utf8))

        private static let events = [
            Envelope(),
            Envelope(headers: ["Duet-Event": "later"]),
            Envelope(headers: ["Duet-Event": "ended", "Duet-Partition": "first"]),
            Envelope(
                headers: [
                    "Duet-Event": "ended", "Duet-Message": NoteText.messageName, "Duet-Changed": "by rules",
                    "Duet-Partition": "-1", "Duet-Sequence": "\(UInt64.max)",
                ],
                body: Data([0])
            ),
            Envelope(headers: ["Duet-Event": "invalidation", "Duet-Command": NoteText.messageName], body: Data([0])),
            Envelope(headers: ["Duet-Event": "invalidation"], body: Data([255])),
        ]

        private var envelope: Envelope {
            var envelope = Self.valid
            switch self {
            case .empty: envelope.body = Data()
            case .truncated: envelope.body = Data(#"{"text":"a"#.utf8)
            case .noJSON: envelope.body = Data([0, 255, 254, 10, 13])
            case .wrongType: envelope.body = Data(#"{"text":{}}"#.utf8)
            case .missingProperty: envelope.body = Data("{}".utf8)
            case .deeplyNested: envelope.body = Data(repeating: UInt8(ascii: "["), count: 100_000)
            case .wordAsVersion: envelope.headers["Duet-Version"] = "one"
            case .laterVersion: envelope.headers["Duet-Version"] = "2"
            case .hugeVersion: envelope.headers["Duet-Version"] = "99999999999999999999"
            case .principal: envelope.headers["Duet-Principal"] = #"{"id":7}"#
            case .idempotencyKey: envelope.headers["Duet-Idempotency-Key"] = "{"
            case .deadline:
                envelope.headers["Duet-Deadline"] = "\(Int64.max)"
                envelope.headers["Duet-Write-Token"] = "0-0"
            case .wordAsDeadline: envelope.headers["Duet-Deadline"] = "soon"
            case .writeToken: envelope.headers["Duet-Write-Token"] = "0-18446744073709551616"
            }
            return envelope
        }

        /// A part of the reason of the dead letter; nil for headers that commands do not have.
        private var reason: String? {
            switch self {
            case .deadline, .wordAsDeadline, .writeToken: nil
            case .idempotencyKey: "\(NoteText.messageName) cannot be read"
            default: queryReason.map { $0.replacing(EchoText.messageName, with: NoteText.messageName) }
            }
        }

        /// A part of the answer; nil for headers that queries do not have, or may have.
        private var queryReason: String? {
            switch self {
            case .empty, .truncated, .noJSON, .deeplyNested: "\(EchoText.messageName) cannot be read"
            case .wrongType: "cannot be read: text must be a string"
            case .missingProperty: "cannot be read: text is missing"
            case .wordAsVersion: "its envelope has version one, and this node reads 1"
            case .laterVersion: "its envelope has version 2, and this node reads 1"
            case .hugeVersion: "its envelope has version 99999999999999999999"
            case .principal: "cannot be read: id must be a string"
            case .wordAsDeadline: "its deadline is not a number"
            case .writeToken: "its write token is not one"
            case .idempotencyKey, .deadline: nil
            }
        }
    }

    /// Responses that a sender cannot read.
    package enum MalformedResponse: CaseIterable, Sendable {
        case noJSON, laterVersion, unknownOutcome, truncatedValue, unknownError

        /// Answers queries with each, and checks the errors of a dispatcher.
        ///
        /// - Throws: ``ContractViolation``.
        package static func check(from sender: any ClusterEngine, to node: any ClusterEngine) async throws {
            let registration = try await node.queries.serve(EchoText.messageName, limit: 1) { request in
                allCases.first { request.text.contains("\"\($0)\"") }?.envelope ?? Envelope()
            }
            let messages = MessageAPI("open", authorized: .open) { EchoText.self }
            let remote = try ClusterDispatcher(messages, on: sender, options: .patient)
            for response in allCases {
                do {
                    _ = try await remote.dispatch(EchoText(text: "\(response)"))
                    throw ContractViolation("\(response): expected a ClusterError, found no error")
                } catch let error as ClusterError {
                    let isNamed = "\(error)".contains(response.reason)
                    try require(isNamed, toBe: true, "\(response): the error \"\(error)\" names the fault")
                }
            }
            await registration.stop()
        }

        private var envelope: Envelope {
            let (headers, text): ([String: String], String) =
                switch self {
                case .noJSON: ([:], "a")
                case .laterVersion: (["Duet-Version": "2"], "\"a\"")
                case .unknownOutcome: (["Duet-Outcome": "later"], "\"a\"")
                case .truncatedValue: ([:], "\"a")
                case .unknownError: (["Duet-Outcome": "error", "Duet-Error": "Unknown"], "{}")
                }
            return Envelope(headers: headers, body: Data(text.utf8))
        }

        private var reason: String {
            switch self {
            case .laterVersion: "its envelope has version 2"
            case .unknownOutcome: "its outcome later is unknown"
            case .noJSON, .truncatedValue: "cannot be read"
            case .unknownError: "its error Unknown is not declared here"
            }
        }
    }

    private struct EchoText: Query, Codable {
        typealias Value = String

        static let messageName = "EchoText"

        let text: String
    }

    private struct NoteText: Command, Codable {
        static let messageName = "NoteText"

        let text: String
    }

    private struct EchoTextHandler: QueryHandler {
        func handle(_ query: EchoText) async throws -> String { query.text }
    }

    private struct NoteTextHandler: CommandHandler {
        let notes: Observations<String>

        func handle(_ command: NoteText) async throws { notes.append(command.text) }
    }

#endif
