#if Caching || HTTP

    import DuetCaching
    import Foundation

    extension CacheStoreSubject {
        func hasNothing() async throws {
            try await expect(nil)
            try await expect([], ofQuery: "Store.Sample")
            try await store.remove([Self.key(1)])
            try await store.remove([])
            try await markStale(.query(name: "Store.Sample"))
            try await markStale(.tag("tag"))
            try await markStale(.everything)
            try await markStale(.keys([Self.key(1)]))
            try await store.removeExpired(at: .distantFuture)
            try await store.removeAll()
            try await expect(nil)
        }

        func keepsValues(of counts: [Int] = [1, 100, 4_096, 100_000]) async throws {
            let dates: [Date?] = [
                nil, Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), Date(timeIntervalSince1970: 0), .distantFuture,
                Date(timeIntervalSinceReferenceDate: -1.0 / 3), Date(timeIntervalSinceReferenceDate: 800_000_000),
            ]
            let tags = [[], ["b", "a", "b"], [""], ["with \u{0} in it", "ünïcödé 🗂", "a,b\n\"c\""]]
            var values: [(CacheKey, StoredValue)] = []
            let combinations = dates.flatMap { date in tags.map { (date, $0) } }
            for count in counts {
                for (date, tags) in combinations.prefix(count > 1_000_000 ? 1 : .max) {
                    let key = Self.key(values.count)
                    values.append(
                        (key, try await insert(values.count, count: count, usableUntil: date, tags: tags, for: key))
                    )
                }
            }
            for _ in 1...2 {
                for (key, value) in values { try await expect(value, for: key) }
            }
        }

        func keepsKeysApart() async throws {
            let value = try await insert(1, for: Self.key(1, scope: "ada"))
            for other in [
                Self.key(2, scope: "ada"), Self.key(1, scope: "bob"), Self.key(1), Self.key(1, scope: "Ada"),
                Self.key(1, version: 2, scope: "ada"), Self.key(1, version: 0, scope: "ada"),
                Self.key(1, version: -1, scope: "ada"), Self.key(1, query: "Store.Other", scope: "ada"),
            ] {
                try await expect(nil, for: other)
                let mine = try await insert(2, for: other)
                try await expect(mine, for: other)
                try await expect(value, for: Self.key(1, scope: "ada"))
            }
        }

        func keepsMissingScopesApart() async throws {
            let missing = try await insert(1, for: Self.key(1, scope: nil))
            try await expect(nil, for: Self.key(1, scope: ""))
            let empty = try await insert(2, for: Self.key(1, scope: ""))
            try await expect(missing, for: Self.key(1, scope: nil))
            try await expect(empty, for: Self.key(1, scope: ""))
            try await store.remove([Self.key(1, scope: nil)])
            try await expect(nil, for: Self.key(1, scope: nil))
            try await expect(empty, for: Self.key(1, scope: ""))
        }

        func keepsNestedKeysApart() async throws {
            let names = ["a", "ab", "a/b", "a\u{0}b", "a'b", "b"]
            let texts = ["", "a", "b", "ab", "a\u{0}b", "{\"a\":1}", "{\"a\":11}"]
            var values: [(CacheKey, StoredValue)] = []
            for query in names {
                for scope in [nil, "", "a", "b", "a\u{0}"] {
                    for text in texts.prefix(3 + query.count) {
                        let key = CacheKey(query: query, version: 1, scope: scope, encodedQuery: Data(text.utf8))
                        values.append((key, try await insert(values.count, count: 10, for: key)))
                    }
                }
            }
            for (key, value) in values { try await expect(value, for: key) }
            for query in names { try await expect(values.map(\.0).filter { $0.query == query }, ofQuery: query) }
            try await markStale(.query(name: "a"))
            for (key, value) in values { try await expect(key.query == "a" ? nil : value, for: key) }
        }

        func replacesValues() async throws {
            try await insert(1, count: 10_000, usableUntil: Date(timeIntervalSince1970: 1), tags: ["old", "both"])
            let new = try await insert(2, count: 10, tags: ["both", "new"], for: Self.key(1))
            try await expect(new)
            try await expect([Self.key(1)], ofQuery: "Store.Sample")
            try await markStale(.tag("old"))
            try await store.removeExpired(at: .distantFuture)
            try await expect(new)
            try await markStale(.tag("both"))
            try await expect(nil)
        }

        func storesOneOfManyValues() async throws {
            let key = Self.key(1)
            let values = (1...12).map { Self.value($0, count: $0 * 4_000, tags: ["tag \($0)"]) }
            try await store.insert(values[0], for: key)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for value in values { group.addTask { try await store.insert(value, for: key) } }
                for _ in 1...3 {
                    group.addTask {
                        for _ in 1...20 { try await expectOne(of: values, for: key) }
                    }
                }
                try await group.waitForAll()
            }
            let last = try await expectOne(of: values, for: key)
            try await expect([key], ofQuery: key.query)
            for value in values where value != last { try await markStale(.tag(value.tags[0])) }
            try await expect(last, for: key)
        }

        @discardableResult
        private func expectOne(of values: [StoredValue], for key: CacheKey) async throws -> StoredValue {
            guard let found = try await store.value(for: key), values.contains(found) else {
                throw ContractViolation("value(for:) returns none of the values that are being stored, or a mixture")
            }
            return found
        }

        func makesConcurrentChanges() async throws {
            for number in 0..<20 { try await insert(number) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { try await store.remove([Self.key(number)]) }
                    group.addTask { try await insert(number + 20) }
                }
                try await group.waitForAll()
            }
            try await expect(numbers: 20..<40, of: 0..<40)
            for number in 20..<40 { try await expect(Self.value(number), for: Self.key(number)) }
        }

        func endures(_ open: () async throws -> any CacheStore) async throws {
            let date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
            let values = try await [
                insert(1, count: 300_000, usableUntil: date, tags: ["a", "b"]), insert(2, count: 0), insert(3),
                insert(4, isKept: true),
            ]
            try await store.remove([Self.key(3)])
            try await markStale(.keys([Self.key(4)]))
            let again = try await CacheStoreSubject(open())
            try await again.expect(values[0])
            try await again.expect(values[1], for: Self.key(2))
            try await again.expect(nil, for: Self.key(3))
            try await again.markStale(.tag("b"))
            try await again.expect([Self.key(2), Self.key(4)], ofQuery: "Store.Sample")
            try await again.expect(values[3], isStale: true, for: Self.key(4))
        }

        func sharesItsLocation(_ open: () async throws -> any CacheStore) async throws {
            let other = try await CacheStoreSubject(open())
            let first = try await insert(1)
            try await other.expect(first)
            let second = try await other.insert(2, tags: ["tag"], for: Self.key(1))
            try await expect(second)
            try await markStale(.tag("tag"))
            try await other.expect(nil)
            try await other.insert(3)
            try await store.removeAll()
            try await other.expect([], ofQuery: "Store.Sample")
            try await expect(other.insert(4), for: Self.key(4))
            let stamp = try await other.store.stamp(for: Self.value(5).writer)
            try await markStale(.keys([]))
            let late = Self.value(5, isKept: true, stamp: stamp)
            try await other.store.insert(late, for: Self.key(5))
            try await expect(late, isStale: true, for: Self.key(5))
        }
    }

#endif
