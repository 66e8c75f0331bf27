#if Caching || HTTP

    import Duet
    import DuetCaching
    import Foundation

    extension CacheStoreSubject {
        private static let keys = [key(1), key(2), key(1, version: 2), key(1, scope: ""), key(1, scope: "ada")]

        func marksQueries() async throws {
            let others = ["Store.Sample2", "Store.Sampl", "Store", "", "store.sample", "Store.Sample\u{0}"]
                .map { Self.key(1, query: $0) }
            for isKept in [true, false] {
                let value = Self.value(1, isKept: isKept)
                for key in Self.keys + others { try await insert(1, isKept: isKept, for: key) }
                try await markStale(.query(name: "Store.Sample"))
                for key in Self.keys { try await expect(isKept ? value : nil, isStale: true, for: key) }
                for key in others { try await expect(value, for: key) }
            }
            try await expect([], ofQuery: "Store.Sample")
        }

        func marksTags() async throws {
            let tags = [["a"], ["b", "a"], ["ab"], ["A"], [], [""], ["a\u{0}"], ["b", "b"], [" a"]]
            for (number, tags) in tags.enumerated() { try await insert(number, tags: tags) }
            try await insert(9, tags: ["b", "a"], isKept: true)
            try await markStale(.tag("c"))
            try await expect(numbers: tags.indices, of: tags.indices)
            try await markStale(.tag("a"))
            try await expect(numbers: 2..<9, of: tags.indices)
            try await expect(Self.value(9, tags: ["b", "a"], isKept: true), isStale: true, for: Self.key(9))
            try await markStale(.tag(""))
            try await expect(numbers: [2, 3, 4, 6, 7, 8], of: tags.indices)
            try await markStale(.tag("b"))
            try await expect(numbers: [2, 3, 4, 6, 8, 9], of: 0...9)
        }

        func marksByCondition() async throws {
            var keys: [CacheKey] = []
            for number in 1...10 {
                for (version, scope) in [(1, nil), (2, nil), (1, ""), (1, "ada")] as [(Int, String?)] {
                    let key = Self.key(number, version: version, scope: scope)
                    for _ in 1...2 { try await insert(number, count: 10, isKept: number == 2, for: key) }
                    keys.append(key)
                }
            }
            try await insert(1, for: Self.key(1, query: "Store.Sample2"))
            try await insert(1, for: Self.key(1, query: "store.sample"))
            try await expect(keys, ofQuery: "Store.Sample")
            let meant = Set(keys.prefix(7))
            try await markStale(.query(name: "Store.Sample") { meant.contains($0) })
            try await expect(Array(keys.dropFirst(4)), ofQuery: "Store.Sample")
            for key in keys[4..<8] {
                let value = Self.value(2, count: 10, isKept: true)
                try await expect(value, isStale: meant.contains(key), for: key)
            }
        }

        func marksKeys() async throws {
            for number in 1...6 { try await insert(number, isKept: number > 3) }
            try await markStale(.keys([]))
            for number in 1...6 { try await expect(Self.value(number, isKept: number > 3), for: Self.key(number)) }
            try await markStale(.keys([2, 9, 4, 2, 4].map { Self.key($0) } + [Self.key(1, version: 2)]))
            try await expect(numbers: [1, 3, 4, 5, 6], of: 1...6)
            for number in 4...6 {
                try await expect(Self.value(number, isKept: true), isStale: number == 4, for: Self.key(number))
            }
        }

        func marksEverything() async throws {
            for number in 1...6 {
                try await insert(number, isKept: number > 3, for: Self.key(number, query: "\(number)"))
            }
            try await markStale(.everything)
            for number in 1...6 {
                let value = number > 3 ? Self.value(number, isKept: true) : nil
                try await expect(value, isStale: true, for: Self.key(number, query: "\(number)"))
            }
        }

        func keepsMarks() async throws {
            let value = try await insert(1, tags: ["tag"], isKept: true)
            for values in [StoredValues.tag("tag"), .everything, .query(name: "Store.Sample"), .keys([Self.key(1)])] {
                try await markStale(values)
                try await expect(value, isStale: true)
            }
            let new = try await insert(2, isKept: true, for: Self.key(1))
            try await expect(new)
            try await insert(value.stale)
            try await expect(value, isStale: true)
        }

        func updatesStaleValues() async throws {
            let keys = Self.keys
            for key in keys + [Self.key(1, query: "Store.Other")] {
                try await insert(1, tags: ["b", "a"], isKept: true, for: key)
            }
            let (stays, fresh) = (keys[1], Self.key(3))
            try await markStale(.everything)
            try await insert(1, tags: ["b", "a"], isKept: true, for: fresh)
            let old = Self.value(1, tags: ["b", "a"], isKept: true)
            let calls = Monitor<[CacheKey]>([])
            try await store.updateStale(query: "Store.Sample") { key, bytes in
                calls.update { $0.append(key) }
                return key == stays || bytes != old.bytes ? nil : Self.bytes(2, count: 300)
            }
            try require(Set(calls.read(\.self)), toBe: Set(keys), "the keys of the values that can change")
            try require(calls.read(\.count), toBe: keys.count, "the number of values that can change")
            var new = old
            new.bytes = Self.bytes(2, count: 300)
            for key in keys { try await expect(key == stays ? old : new, isStale: true, for: key) }
            try await expect(old, isStale: true, for: Self.key(1, query: "Store.Other"))
            try await expect(old, for: fresh)
            // A later mark finds the values by their tags.
            try await markStale(.tag("a"))
            try await expect(old, isStale: true, for: fresh)
        }

        func changesStamps() async throws {
            let (ada, bob, eve) = (Self.value(1).writer, Self.value(2).writer, Self.value(3).writer)
            var stamps = Set([try await store.stamp(for: ada)])
            func expectChange(_ change: Bool, of writer: UUID, _ what: String) async throws {
                let isNew = try await stamps.insert(store.stamp(for: writer)).inserted
                try require(isNew, toBe: change, "stamp(for:) changes when \(what)")
            }
            try await store.markStale(.keys([]), by: ada)
            try await store.markStale(.everything, by: ada)
            try await expectChange(false, of: ada, "the writer marks values")
            try await expectChange(true, of: bob, "another writer marks values")
            try await store.markStale(.tag("tag"), by: bob)
            try await expectChange(false, of: bob, "the writer marks values")
            try await expectChange(true, of: ada, "another writer marks values")
            try await expectChange(false, of: eve, "nothing happens")
            try await store.markStale(.query(name: "Store.Sample"), by: eve)
            try await expectChange(true, of: ada, "another writer marks values")
            try await insert(1)
            try await store.remove([Self.key(1)])
            try await store.removeExpired(at: .distantFuture)
            try await expectChange(false, of: bob, "values are stored and removed")
            let known = stamps
            try await store.removeAll()
            for writer in [ada, bob, eve] {
                stamps = known
                try await expectChange(true, of: writer, "everything is removed")
            }
        }

        func refusesRemovedValues() async throws {
            let stamp = try await store.stamp(for: Self.value(1).writer)
            try await store.removeAll()
            let late = Self.value(1, isKept: true, stamp: stamp)
            try await insert(late)
            try await expect(nil)
            let value = try await insert(2, for: Self.key(1))
            try await store.markStale(.keys([]), by: late.writer)
            try await insert(late)
            try await expect(value)
        }

        func notesDoubts() async throws {
            let (writer, other) = (Self.value(1).writer, Self.value(2).writer)
            let keys = [Self.key(1), Self.key(1, version: 2), Self.key(1, scope: "ada")]
            for key in keys + [Self.key(1, query: "Store.Other")] { try await insert(1, for: key) }
            let stamps = (try await store.stamp(for: writer), try await store.stamp(for: other))
            guard let first = try await store.noteDoubt(query: "Store.Sample", by: writer) else { return }
            try await require(store.stamp(for: writer), toBe: stamps.0, "the stamp of the writer")
            try require(
                try await store.stamp(for: other) != stamps.1,
                "stamp(for:) changes when another writer notes a doubt"
            )
            let second = try await store.noteDoubt(query: "Store.Sample", by: other)
            try require(second.map { $0 > first }, toBe: true, "the number of a later note is larger")
            try await insert(3)
            func expect(_ doubts: Set<Int64>, for key: CacheKey) async throws {
                let found = try await store.value(for: key)?.doubts
                try require(found.map(Set.init), toBe: doubts, "the doubts of \(key.query)")
            }
            for key in keys { try await expect(Set([first, second].compactMap(\.self)), for: key) }
            for key in [Self.key(3), Self.key(1, query: "Store.Other")] { try await expect([], for: key) }
            try await insert(3, for: keys[0])
            try await expect([], for: keys[0])
            try await insert(1, for: keys[0])
            let isDoubtful = try await store.value(for: keys[0])?.doubts.contains(first)
            try require(isDoubtful, toBe: true, "a value that the writer stores before its note ends")
            try await store.endDoubts([first, 1 << 40])
            try await expect(Set([second].compactMap(\.self)), for: keys[1])
            try await store.endDoubts([second].compactMap(\.self))
            for key in keys { try await expect([], for: key) }
        }

        func notesRemovals(_ open: () async throws -> any CacheStore) async throws {
            try await insert(1)
            let stamp = try await store.stamp(for: Self.value(1).writer)
            guard try await store.noteRemoval() else { return }
            let next = try await CacheStoreSubject(open())
            try await next.expect(nil)
            try await insert(Self.value(1, stamp: stamp))
            let value = try await next.insert(2)
            let last = try await CacheStoreSubject(open())
            try await last.expect(nil)
            try await last.expect(value, for: Self.key(2))
        }

        func comparesStamps() async throws {
            for isKept in [true, false] {
                let stamp = try await store.stamp(for: Self.value(1).writer)
                let value = Self.value(1, isKept: isKept, stamp: stamp)
                try await store.markStale(.everything, by: value.writer)
                try await insert(value)
                try await expect(value)
                try await markStale(.query(name: "Store.Other"))
                try await insert(value)
                try await expect(isKept ? value : nil, isStale: true)
                try await insert(Self.value(1, isKept: isKept))
                try await expect(value)
            }
        }
    }

    extension StoredValue {
        fileprivate var stale: StoredValue {
            var value = self
            (value.isStale, value.stamp) = (true, nil)
            return value
        }
    }

#endif
