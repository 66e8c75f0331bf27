import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct MessageSuiteTests {
    /// Runs examples in all places, and returns the findings.
    private func findings(
        of messages: MessageAPI = Shop.messages,
        cache: Place = .shopCache,
        cluster: Place = .cluster(),
        @ListBuilder<Example> _ examples: () -> [Example]
    ) async throws -> [Finding] {
        do {
            try await MessageSuite(messages, examples).check(in: .http(), cache, cluster) { try Shop().dispatcher() }
            return []
        } catch let differences as MessageDifferences {
            return differences.findings
        }
    }

    @Test func `commands before an example are dispatched in the order of writing`() async throws {
        let found = try await findings {
            Example(SendParcel(id: 5), then: ListParcels(), returns: (1...5).map { Parcel(id: $0) })
                .after(SendParcel(id: 2), SendParcel(id: 3))
                .after(SendParcel(id: 4))
        }
        #expect(found == [])
    }

    // MARK: Answers

    @Test func `the answer of a command is the same in all places`() async throws {
        let found = try await findings {
            Example(answering: OpenParcel(label: 7), returns: Parcel(id: 2))
            Example(answering: OpenParcel(label: 7), returns: Parcel(id: 3)).after(SendParcel(id: 2))
        }
        #expect(found == [])
    }

    @Test func `an answer whose content tells another query than the handler is found`() async throws {
        let found = try await findings { Example(answering: OpenParcel(label: -1), returns: Parcel(id: 2)) }
        #expect(found.map(\.place).contains(.process))
        #expect(found.first?.description.contains("Return the query that the handler names.") == true)
    }

    // MARK: Contents

    /// Its content has the language of the current task.
    private struct Greet: HTTPQuery, Hashable {
        @TaskLocal static var language = "en"
        typealias Value = String
        static let route: QueryRoute<Self> = .get("greeting")

        struct Payload: Codable, Sendable {
            let text: String
            let language: String
        }

        static func value(from payload: Payload, answering query: Self) -> String { payload.text }

        static func payload(from value: String, answering query: Self) -> Payload {
            Payload(text: value, language: language)
        }
    }

    @Test(arguments: ["en", "de"])
    func `a content that depends on the request is found`(language: String) async throws {
        let spy = SpyDispatcher()
        spy.stub(Greet.self) { _ in "Hello" }
        let suite = MessageSuite(.open { Greet.self }) { Example(Greet(), returns: "Hello") }
        let differences = try await Greet.$language.withValue(language) { () -> MessageDifferences? in
            do {
                try await suite.check(
                    in: .http(),
                    .skipping(.cache, because: "HTTP is enough"),
                    .skipping(.cluster, because: "HTTP is enough")
                ) { spy }
                return nil
            } catch let differences as MessageDifferences {
                return differences
            }
        }
        #expect(differences?.findings.count == (language == "en" ? nil : 1))
        #expect(
            differences?.description.contains("Add .encodingEachTime() to the route of Greet.") ?? (language == "en")
        )
    }

    // MARK: Equal outcomes

    @Test func `values, declared errors and visible changes are the same in all places`() async throws {
        let suite = MessageSuite(Shop.messages) {
            Example(ListParcels(), returns: [Parcel(id: 1)])
            Example(CountParcels(), returns: 1)
            Example(SendParcel(id: 2, weight: 31), throws: TooHeavy(weight: 31))
            Example(SendParcel(id: 2, weight: 30), then: CountParcels(), returns: 2)
            Example(SendParcel(id: 2), then: ListParcels(), returns: [Parcel(id: 1), Parcel(id: 2)])
            Example(succeeding: SendParcel(id: 2))
        }
        try await suite.check(in: .http(), .shopCache, .cluster()) { try Shop().dispatcher() }
        #expect(
            suite.messageNames == [ListParcels.messageName, CountParcels.messageName, SendParcel.messageName]
        )
    }

    @Test func `mounts and nodes work for a client, and a handler in this process does not`() async throws {
        let found = try await findings { Example(LoadSender(isAboutClients: true), returns: ["false"]) }
        #expect(found.map(\.place) == [.http, .cluster])
    }

    @Test func `the principal sends the messages in all places, and nobody else does`() async throws {
        let found = try await findings {
            Example(LoadSender(), returns: ["ada", "read", "write"])
                .sent(by: Principal(id: "ada", scopes: ["write", "read"]))
            Example(LoadSender(), returns: [])
        }
        #expect(found == [])
    }

    @Test func `each example has its own dispatcher in each place`() async throws {
        let count = Mutex(0)
        let suite = MessageSuite(Shop.messages) {
            Example(CountParcels(), returns: 1)
            Example(succeeding: SendParcel(id: 2)).skipping(.http, because: "one place less")
        }
        try await suite.check(in: .http(), .shopCache, .cluster()) {
            count.withLock { $0 += 1 }
            return try Shop().dispatcher()
        }
        #expect(count.withLock { $0 } == 4 + 3)
    }

    @Test func `a given cluster carries the messages`() async throws {
        let engine = InProcessCluster()
        let found = try await findings(cluster: .cluster(on: { engine.node() })) {
            Example(SendParcel(id: 2), then: CountParcels(), returns: 2)
            Example(SendParcel(id: 3), then: CountParcels(), returns: 2)
        }
        #expect(found == [])
        let positions = await (0..<8).asyncSum { try? await engine.commands.handledPosition(in: $0).sequence }
        #expect(positions == 2)
    }

    // MARK: Faults

    @Test func `a wrong expectation is found once, in this process`() async throws {
        let found = try await findings { Example(CountParcels(), returns: 2) }
        #expect(found.map(\.place) == [.process])
        #expect(found.map(\.message) == [CountParcels.messageName])
        #expect(
            found.map(\.description) == [
                """
                CountParcels(), in this process:
                    expected 2
                    found    1
                """
            ]
        )
    }

    @Test func `a value that changes when it is encoded is found where it is encoded`() async throws {
        let dates = [Parcel(id: 1).sent]
        let found = try await findings { Example(ListDates(), returns: ListDates.Value(dates: dates)) }
        #expect(found.map(\.place) == [.http, .cluster])
        for finding in found {
            #expect(finding.description.contains("at dates[0]"), "\(finding)")
            #expect(finding.description.contains("800000000.125, found 800000000.0"), "\(finding)")
        }
    }

    @Test func `a property that a message loses is found where it arrives, even if no query shows it`() async throws {
        let found = try await findings { Example(succeeding: WeighParcel(id: 1, weight: 7)) }
        #expect(found.map(\.place) == [.http, .cluster])
        #expect(found.map(\.message) == [WeighParcel.messageName, WeighParcel.messageName])
        #expect(
            found.first?.description == """
                WeighParcel(id: 1, weight: 7), over HTTP:
                    The message arrived with other properties. Encode and decode all of them.
                    at weight: expected 7, found 0
                """
        )
    }

    @Test func `the effect of a lost property is found by the query afterward`() async throws {
        let found = try await findings {
            Example(WeighParcel(id: 1, weight: 7), then: ListParcels(), returns: [Parcel(id: 1, weight: 7)])
        }
        #expect(found.map(\.place) == [.http, .http, .cluster, .cluster])
        #expect(found.map(\.message) == [WeighParcel.messageName, ListParcels.messageName] * 2)
    }

    @Test func `an error that is not declared is found, with the declaration to write`() async throws {
        let found = try await findings { Example(LoseParcel(id: 1), throws: NothingLost()) }
        #expect(found.map(\.place) == [.http, .cluster])
        for finding in found {
            #expect(finding.description.contains("expected the error NothingLost(), as in this process"), "\(finding)")
        }
        let advice = """
            Conform NothingLost to HTTPProblem. Declare it: add .throwing(NothingLost.self) to the route of LoseParcel, \
            or the error to the list.
            """
        #expect(found.first?.description.hasSuffix(advice) == true, "\(found)")
        let declaration = "Declare it: add NothingLost.self to the declaredErrors of LoseParcel, or to the list."
        #expect(found.last?.description.hasSuffix(declaration) == true, "\(found)")
    }

    @Test func `an unexpected error in this process is also found where it arrives untyped`() async throws {
        let found = try await findings { Example(succeeding: LoseParcel(id: 1)) }
        #expect(found.map(\.place) == [.process, .http, .cluster])
    }

    @Test func `a missing rule is found in the cache, with the rule to write`() async throws {
        let cache = Place.shop { Invalidate(CountParcels.self, after: SendParcel.self) }
        let found = try await findings(cache: cache) {
            Example(SendParcel(id: 2), then: ListParcels(), returns: [Parcel(id: 1), Parcel(id: 2)])
        }
        #expect(found.map(\.place) == [.cache])
        #expect(found.map(\.message) == [ListParcels.messageName])
        let rule = "Add: Invalidate(ListParcels.self, after: SendParcel.self)"
        #expect(found.first?.description.hasSuffix(rule) == true, "\(found)")
    }

    @Test func `a rule is missed for the queries of other examples, too`() async throws {
        let cache = Place.shop { Invalidate(ListParcels.self, after: SendParcel.self) }
        let found = try await findings(cache: cache) {
            Example(CountParcels(), returns: 1)
            Example(succeeding: SendParcel(id: 2))
        }
        #expect(found.map(\.place) == [.cache])
        #expect(found.map(\.message) == [SendParcel.messageName])
        let rule = "Add: Invalidate(CountParcels.self, after: SendParcel.self)"
        #expect(found.first?.description.hasSuffix(rule) == true, "\(found)")
    }

    @Test func `a missing rule is found once for each command and query`() async throws {
        let cache = Place.shop { Invalidate(CountParcels.self, after: SendParcel.self) }
        let found = try await findings(cache: cache) {
            Example(SendParcel(id: 2), then: ListParcels(), returns: [Parcel(id: 1), Parcel(id: 2)])
            Example(SendParcel(id: 3), then: CountParcels(), returns: 3).after(SendParcel(id: 2))
        }
        #expect(found.map(\.message) == [ListParcels.messageName])
    }

    @Test func `a value that the cache's store would change is found once`() async throws {
        let cache = Place.cache {
            try QueryCache(in: .stored(in: InMemoryCacheStore())) {
                Cache(ListDates.self, .maxAge(.minutes(5))).stored(version: 1)
                Cache(ListParcels.self, .maxAge(.minutes(5))).stored(version: 1)
            }
        }
        let dates = [Parcel(id: 1).sent]
        let found = try await findings(cache: cache) {
            for _ in 1...2 {
                Example(ListDates(), returns: ListDates.Value(dates: dates))
                    .skipping(.http, because: "its dates are rounded")
                    .skipping(.cluster, because: "its dates are rounded")
            }
            Example(ListParcels(), returns: [Parcel(id: 1)])
        }
        #expect(found.map(\.place) == [.cache])
        #expect(found.map(\.message) == [ListDates.messageName])
        #expect(found.first?.description.contains("800000000.125, found 800000000.0") == true, "\(found)")
    }

    // MARK: Places that are left out

    @Test func `a message that a place does not list is found, unless it is left out`() async throws {
        let messages = MessageAPI("parcels") { CountParcels.not(over: .http, .cluster) }
        let found = try await findings(of: messages) { Example(CountParcels(), returns: 1) }
        #expect(found.map(\.place) == [.http, .cluster])
        #expect(found.first?.description.contains("in the API “parcels”, but not over HTTP") == true)
        #expect(found.first?.description.hasSuffix("Or leave it out: .skipping(.http, because: …)") == true)
        #expect(found.last?.description.hasSuffix("Or leave it out: .skipping(.cluster, because: …)") == true)

        let others = try await findings(of: messages) {
            Example(CountParcels(), returns: 1)
                .skipping(.http, because: "only the program counts")
                .skipping(.cluster, because: "only the program counts")
        }
        #expect(others == [])
    }

    @Test func `a place that is missing is found, unless it is left out`() async throws {
        let suite = MessageSuite(Shop.messages) { Example(CountParcels(), returns: 1) }
        let differences = await #expect(throws: MessageDifferences.self) {
            try await suite.check(in: .shopCache) { try Shop().dispatcher() }
        }
        #expect(differences?.findings.map(\.place) == [.cluster, .http])
        try await suite.check(
            in: .shopCache,
            .skipping(.http, because: "there is no server"),
            .skipping(.cluster, because: "one process is enough")
        ) { try Shop().dispatcher() }
    }

    @Test func `a suite without examples is found`() async throws {
        #expect(try await findings {}.map(\.description) == ["The suite has no examples."])
    }

    @Test func `a place that cannot be opened is found once`() async throws {
        let cache = Place.shop { Invalidate(ListDates.self, after: SendParcel.self) }
        let found = try await findings(cache: cache) {
            Example(CountParcels(), returns: 1)
            Example(ListParcels(), returns: [Parcel(id: 1)])
        }
        #expect(found.map(\.place) == [.cache])
        #expect(found.first?.message == nil)
    }

    @Test func `the error of the dispatcher's maker ends the check`() async throws {
        let suite = MessageSuite(Shop.messages) { Example(CountParcels(), returns: 1) }
        await #expect(throws: NothingLost()) {
            try await suite.check(in: .http(), .shopCache, .cluster()) { throw NothingLost() }
        }
    }
}

private func * (names: [String?], count: Int) -> [String?] { (0..<count).flatMap { _ in names } }

extension Range<Int> {
    fileprivate func asyncSum(_ body: (Int) async -> UInt64?) async -> UInt64 {
        var sum: UInt64 = 0
        for number in self { sum += await body(number) ?? 0 }
        return sum
    }
}
