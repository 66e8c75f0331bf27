import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import Foundation
import FuzzTesting
import TestSupport
import Testing

/// What reads envelopes and texts that come from other nodes, or through them from clients.
enum EnvelopeReader: CaseIterable, Sendable {
    case query, command, event, response, token

    /// The envelope of an input: a line for each header, an empty line, and the body.
    private static func envelope(_ input: [UInt8]) -> Envelope {
        var envelope = Envelope()
        var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst(), !line.isEmpty {
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard name.utf8.count <= 128, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { continue }
            envelope.headers[name] = String(decoding: line[colon...].dropFirst(), as: UTF8.self)
        }
        envelope.body = Data(lines.joined(separator: [UInt8(ascii: "\n")]))
        return envelope
    }

    /// Sends an input to a cluster in which a worker of ``Shop`` runs, and returns when it was read.
    func read(_ input: [UInt8], by cluster: InProcessCluster) async {
        let envelope = Self.envelope(input)
        switch self {
        case .query:
            // A worker does not answer after the deadline of a sender, who no longer waits.
            _ = try? await cluster.queries.ask(LoadStock.messageName, envelope, timeout: .seconds(1))
        case .command:
            let message = envelope.headers["Message"] ?? AddStock.messageName
            let command = LoggedCommand(id: UUID().uuidString, key: "key", message: message, envelope: envelope)
            _ = try? await cluster.commands.append(command)
        case .event:
            _ = try? await cluster.backplane.publish(envelope)
        case .response:
            let registration = try? await cluster.queries.serve(LoadCaller.messageName, limit: 1) { _ in envelope }
            let remote = try? ClusterDispatcher(Shop.messages, on: cluster, options: .test)
            _ = try? await remote?.dispatch(LoadCaller())
            await registration?.stop()
        case .token:
            let text = String(decoding: input, as: UTF8.self)
            guard let token = WriteToken(text: text) else { return }
            precondition(WriteToken(text: token.text)?.text == token.text)
        }
    }

    var corpus: [String] {
        switch self {
        case .query:
            [
                "Duet-Version:1\nDuet-Deadline:5000\n\n{\"item\":\"tea\"}",
                "Duet-Principal:{\"id\":\"a\",\"scopes\":[\"b\"]}\n\n{\"item\":\"tea\"}",
                "Duet-Deadline:1\nDuet-Write-Token:0-0.1-0\n\n{\"item\":\"tea\"}",
            ]
        case .command:
            [
                "Duet-Idempotency-Key:[\"a\"]\nDuet-Reply:reply.a\nDuet-Reply-Key:1\n\n{\"item\":\"tea\",\"count\":1}",
                "Message:Unknown\n\n{}",
            ]
        case .event:
            [
                "Duet-Event:ended\nDuet-Message:A\nDuet-Partition:0\nDuet-Sequence:1\nDuet-Changed:by rules\n\n{}",
                "Duet-Event:invalidation\nDuet-Query:A\n\n", "Duet-Event:invalidation\n\ntag", "Duet-Event:marker\n\n",
            ]
        case .response:
            [
                "\n[\"a\"]", "Duet-Outcome:error\nDuet-Error:NegativeStock\n\n{\"item\":\"a\"}",
                "Duet-Outcome:failure\n\nreason",
            ]
        case .token: ["0-1.1-2", "7-18446744073709551615", "+1-+1"]
        }
    }

    static let tokens = [
        "0", "-1", "1", "-", ".", ":", "\n", "18446744073709551615", "9223372036854775807", "86400000", "\u{301}",
        "\u{323}\u{301}", "\"", "{", "[", "]", "}", "null", "1e400", "Duet-", #"\u0301"#, "\u{FF}",
    ]
}

@Suite(.timeLimit(.minutes(5))) struct EnvelopeReaderTests {
    @Test(arguments: EnvelopeReader.allCases)
    func `no bytes end the process or take long`(reader: EnvelopeReader) async throws {
        let (cluster, shop) = (InProcessCluster(), Shop())
        let cached = try shop.dispatcher().caching(in: .memory(limit: .entries(10))) {
            Cache(LoadStock.self, .untilInvalidated)
            Invalidate(LoadStock.self, after: AddStock.self)
        }
        let options = ClusterOptions(
            attempts: 1,
            handlingDelays: RetryPolicy(backoff: .constant(.zero), jitter: false)
        )
        let messages = MessageAPI.open {
            LoadStock.self
            AddStock.ordered(by: \.item)
        }
        let worker = try ClusterWorker(
            messages,
            cached,
            on: cluster.node(),
            caches: [cached.cache],
            options: options
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
            let request = Envelope(body: Data(#"{"item":"tea"}"#.utf8))
            _ = try await cluster.queries.askWhenServed(LoadStock.messageName, request)
            let report = try await Fuzzer(
                name: "envelope-\(reader)",
                corpus: reader.corpus.map { Array($0.utf8) },
                tokens: EnvelopeReader.tokens,
                length: .part(of: EnvelopeReader.allCases.count, inputs: 600)
            ) {
                await reader.read($0, by: cluster)
                return .fine
            }
            .run()
            #expect(report.faults == [], "DUET_FUZZ_SEED=\(Fuzzer.seed)")
            // All commands were handled or are dead letters, and the worker goes on.
            try await remote.dispatch(AddStock(item: "last", count: 1))
            #expect(try await remote.dispatch(LoadStock(item: "last")) == 1)
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
