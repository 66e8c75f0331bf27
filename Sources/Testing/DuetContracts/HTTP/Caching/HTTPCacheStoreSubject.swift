#if HTTP

    import Duet
    package import DuetHTTPCaching
    package import Foundation
    import HTTPTypes

    /// A store under test, with sample responses and expectations.
    package struct HTTPCacheStoreSubject: Sendable {
        package let store: any HTTPCacheStore

        package init(_ store: any HTTPCacheStore) {
            self.store = store
        }

        package static func key(_ number: Int, partition: String = "") -> HTTPCacheKey {
            HTTPCacheKey(partition: partition, uri: "http://store.invalid/\(number)")
        }

        /// Returns a response that contains the number.
        package static func response(_ number: Int, _ body: Data = Data()) -> StoredResponse {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "store.invalid", path: "/\(number)")
            let fields: HTTPFields = [
                .eTag: "\"\(number)\"", .contentType: "text/plain", .cacheControl: "max-age=60",
            ]
            let moment = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
            return StoredResponse(
                selection: SelectingFields(fields, of: request),
                response: HTTPResponse(status: .ok, headerFields: fields),
                body: body,
                times: ExchangeTimes(requested: moment, received: moment + 0.125)
            )
        }

        package static func bytes(_ number: Int, count: Int) -> Data { CacheStoreSubject.bytes(number, count: count) }

        /// Stores a response, and expects the store to accept it.
        @discardableResult
        package func insert(
            _ number: Int,
            _ body: Data = Data(),
            for key: HTTPCacheKey? = nil,
            replacing replaced: [StoredResponse] = []
        ) async throws -> StoredResponse {
            let response = Self.response(number, body)
            guard try await store.insert(response, for: key ?? Self.key(number), replacing: replaced.map(\.id)) else {
                throw ContractViolation("insert(_:for:replacing:) returned false, although there is room")
            }
            return response
        }

        /// Expects the responses of a key, the most recent one first.
        package func expect(
            _ responses: [StoredResponse],
            for key: HTTPCacheKey = HTTPCacheStoreSubject.key(1)
        ) async throws {
            let found = try await store.responses(for: key)
            let name = "responses(for: \(key.uri) in the partition \"\(key.partition)\")"
            let etags = { (responses: [StoredResponse]) in
                responses.map { $0.response.headerFields[.eTag] ?? "no entity tag" }
            }
            try require(etags(found), toBe: etags(responses), "\(name), the one stored last first")
            try require(found.map(\.body.count), toBe: responses.map(\.body.count), "the bytes of \(name)")
            try require(found == responses, "\(name) returns what was stored")
        }
    }

    // MARK: Storing

    extension HTTPCacheStoreSubject {
        func hasNothing() async throws {
            for _ in 0..<2 {
                try await expect([])
                try await store.remove(.responses([UUID()], of: Self.key(1)))
                try await store.remove(.uri(Self.key(1).uri))
                try await store.remove(.prefix("http"))
                try await store.removeAll()
            }
        }

        func keepsResponses() async throws {
            let bodies = [Data(), Data("one".utf8), Data([0, 255, 10, 13, 0]), Self.bytes(3, count: 3_000_003)]
            var stored: [StoredResponse] = []
            for (number, body) in bodies.enumerated() { stored.append(try await insert(number, body)) }
            for _ in 0..<2 {
                for (number, response) in stored.enumerated() { try await expect([response], for: Self.key(number)) }
            }
        }

        func ordersByInsertion() async throws {
            let key = Self.key(1)
            let first = try await insert(2, Data("first".utf8), for: key)
            let second = try await insert(3, Data("second".utf8), for: key)
            try await expect([second, first], for: key)
            let third = try await insert(1, Data("third".utf8), for: key)
            try await expect([third, second, first], for: key)
        }

        func replacesInOneStep() async throws {
            let key = Self.key(1)
            var last = try await insert(0, Self.bytes(0, count: 1_000), for: key)
            let hasEnded = Monitor(false)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !hasEnded.read(\.self), !Task.isCancelled {
                        await Task.yield()
                        let count = try await store.responses(for: key).count
                        try require(
                            count,
                            toBe: 1,
                            "the number of responses(for:) while insert(_:for:replacing:) replaces one with another"
                        )
                    }
                }
                for number in 1...30 {
                    last = try await insert(number, Self.bytes(number, count: 1_000), for: key, replacing: [last])
                }
                hasEnded.update { $0 = true }
                try await group.waitForAll()
            }
            try await expect([last], for: key)
        }

        func takesManyAtOnce() async throws {
            let key = Self.key(1)
            let counts = [10, 300_000, 2_000_000, 0, 65_536, 1, 100_000]
            let stored = try await withThrowingTaskGroup(of: StoredResponse.self) { group in
                for (number, count) in counts.enumerated() {
                    group.addTask { try await insert(number, Self.bytes(number, count: count), for: key) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let found = try await store.responses(for: key)
            try require(
                Set(found) == Set(stored) && found.count == stored.count,
                "responses(for:) returns all responses that were inserted at the same time"
            )
        }

        func toleratesMissingResponses() async throws {
            let key = Self.key(1)
            let gone = try await insert(1, for: key)
            let other = try await insert(2, for: key)
            try await store.remove(.responses([gone.id], of: key))
            try await store.remove(.responses([gone.id, gone.id], of: key))
            try await expect([other], for: key)
            let next = try await insert(3, for: key, replacing: [gone, gone])
            try await expect([next, other], for: key)
        }
    }

    // MARK: Removing

    extension HTTPCacheStoreSubject {
        func keepsPartitionsApart() async throws {
            let keys = ["", "a", "b", "a/b", "A"].map { Self.key(1, partition: $0) }
            var stored: [StoredResponse] = []
            for (number, key) in keys.enumerated() { stored.append(try await insert(number, for: key)) }
            for (key, response) in zip(keys, stored) { try await expect([response], for: key) }
            try await store.remove(.responses([stored[1].id], of: keys[1]))
            try await expect([], for: keys[1])
            try await expect([stored[0]], for: keys[0])
        }

        func removesNamedResponses() async throws {
            let key = Self.key(1)
            let stored = try await [insert(1, for: key), insert(2, for: key), insert(3, for: key)]
            let elsewhere = try await insert(4)
            try await store.remove(.responses([stored[0].id, stored[2].id], of: key))
            try await expect([stored[1]], for: key)
            try await expect([elsewhere], for: Self.key(4))
        }

        /// Checks that a removal takes the responses to these URIs in all partitions, and no others.
        private func expectRemoval(
            _ removal: HTTPCacheRemoval,
            of uris: [String],
            keeping others: [String]
        ) async throws {
            let removed = uris.flatMap { uri in ["", "p", "q"].map { HTTPCacheKey(partition: $0, uri: uri) } }
            let kept = others.map { HTTPCacheKey(uri: $0) }
            for key in removed {
                for number in 1...2 { try await insert(number, for: key) }
            }
            var stored: [StoredResponse] = []
            for key in kept { stored.append(try await insert(3, for: key)) }
            try await store.remove(removal)
            for key in removed { try await expect([], for: key) }
            for (key, response) in zip(kept, stored) { try await expect([response], for: key) }
        }

        func removesURIs() async throws {
            let uri = "http://store.invalid/a"
            let others = ["\(uri)/", "\(uri)?b", "\(uri)b", "http://store.invalid/", "http://store.invalid/A"]
            try await expectRemoval(.uri(uri), of: [uri], keeping: others)
        }

        func removesPrefixes() async throws {
            let prefix = "http://store.invalid/a%_/"
            try await expectRemoval(
                .prefix(prefix),
                of: [prefix, "\(prefix)b", "\(prefix)b/c?d"],
                keeping: ["http://store.invalid/a%_", "http://store.invalid/abc/", "http://store.invalid/A%_/"]
            )
        }

        func removesEverything() async throws {
            for number in 1...3 { try await insert(number, for: Self.key(number, partition: "\(number)")) }
            try await store.removeAll()
            for number in 1...3 { try await expect([], for: Self.key(number, partition: "\(number)")) }
            let next = try await insert(4)
            try await expect([next], for: Self.key(4))
        }
    }

    // MARK: Durable stores

    extension HTTPCacheStoreSubject {
        func endures(_ open: () async throws -> any HTTPCacheStore) async throws {
            guard store.isDurable else { return }
            let first = try await insert(1, Self.bytes(1, count: 300_000))
            let second = try await insert(2, for: Self.key(1))
            let third = try await insert(3, for: Self.key(3, partition: "p"))
            let again = try await HTTPCacheStoreSubject(open())
            try await again.expect([second, first])
            try await again.expect([third], for: Self.key(3, partition: "p"))
        }

        func sharesItsLocation(_ open: () async throws -> any HTTPCacheStore) async throws {
            guard store.isDurable else { return }
            let other = try await HTTPCacheStoreSubject(open())
            let first = try await insert(1, Self.bytes(1, count: 300_000))
            try await other.expect([first])
            let second = try await other.insert(2, for: Self.key(1), replacing: [first])
            try await expect([second])
            try await store.removeAll()
            try await other.expect([])
        }
    }

#endif
