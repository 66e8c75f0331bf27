#if HTTP

    import DuetHTTPCaching
    import Foundation

    extension HTTPCacheStoreSubject {
        /// More than any store needs for a head of this test.
        private static let headAllowance: Int64 = 16 * 1024
        private static let partitions = ["", "ada", "grace", "ad", "ada\u{0}", "Ada"]

        func keepsPartitionsApart() async throws {
            var entries: [HTTPCacheEntry] = []
            for (number, partition) in Self.partitions.enumerated() {
                let key = Self.key(1, partition: partition)
                entries.append(try await insert(number, Data(partition.utf8), for: key))
            }
            for (entry, partition) in zip(entries, Self.partitions) {
                try await expect([entry], for: Self.key(1, partition: partition))
                try await expect(body: Data(partition.utf8), of: entry.id)
            }
            try await expect([], for: Self.key(1, partition: "nobody"))
        }

        func removesNamedResponses() async throws {
            let entries = try await [insert(1, Data("a".utf8)), insert(2, Data("b".utf8)), insert(3, Data("c".utf8))]
            let second = try await insert(4, Data("d".utf8), for: Self.key(1))
            try await store.remove([])
            try await store.remove([entries[0].id, entries[2].id])
            try await expect([second], for: Self.key(1))
            try await expect([entries[1]], for: Self.key(2))
            try await expect([], for: Self.key(3))
            try await expect(body: nil, of: entries[0].id)
        }

        func removesURIs() async throws {
            let uri = Self.key(1).uri
            let others = [uri + "/", uri + "?", uri.uppercased(), String(uri.dropLast()), "%", uri + "%"]
            for partition in Self.partitions {
                for uri in [uri] + others {
                    let key = HTTPCacheKey(partition: partition, uri: uri)
                    try await insert(1, Data("one".utf8), for: key)
                    try await insert(2, Data("two".utf8), for: key)
                }
            }
            try await store.removeAll(uri: uri)
            for partition in Self.partitions {
                try await expect([], for: HTTPCacheKey(partition: partition, uri: uri))
                for uri in others {
                    let count = try await store.entries(for: HTTPCacheKey(partition: partition, uri: uri)).count
                    try DuetContracts.expect(
                        count,
                        toBe: 2,
                        "the number of entries(for: \(uri)) after another URI was removed"
                    )
                }
            }
        }

        func removesPrefixes() async throws {
            let prefix = "http://store.invalid/feed?"
            let gone = [prefix, prefix + "page=2", prefix + "\u{7E}", prefix + "\u{7F}\u{E9}"]
            let kept = [
                "http://store.invalid/feed", "http://store.invalid/feed>", "http://store.invalid/feed@", "%", "",
            ]
            for partition in Self.partitions {
                for uri in gone + kept {
                    try await insert(1, Self.bytes(1, count: 1_000), for: HTTPCacheKey(partition: partition, uri: uri))
                }
            }
            try await store.removeAll(prefix: prefix)
            for partition in Self.partitions {
                for uri in gone { try await expect([], for: HTTPCacheKey(partition: partition, uri: uri)) }
                for uri in kept {
                    let count = try await store.entries(for: HTTPCacheKey(partition: partition, uri: uri)).count
                    try DuetContracts.expect(count, toBe: 1, "entries(for: \(uri)) after removeAll(prefix: \(prefix))")
                }
            }
        }

        func removesEverything() async throws {
            let bytes = Self.bytes(1, count: 300_000)
            var ids: [HTTPCacheEntry.ID] = []
            for partition in Self.partitions {
                ids.append(try await insert(1, bytes, for: Self.key(1, partition: partition)).id)
            }
            try await store.removeAll()
            for partition in Self.partitions { try await expect([], for: Self.key(1, partition: partition)) }
            for id in ids { try await expect(body: nil, of: id) }
            try await DuetContracts.expect(store.size(), toBe: 0, "size() after removeAll()")
            let entry = try await insert(2, bytes)
            try await expect(body: bytes, of: entry.id)
        }

        func countsBytes() async throws {
            var sizes: [Int64] = [0]
            var ids: [HTTPCacheEntry.ID] = []
            let counts = [0, 1, 1_000, 65_537, 2_000_000]
            for (number, count) in counts.enumerated() {
                ids.append(try await insert(number, Self.bytes(number, count: count)).id)
                sizes.append(try await store.size())
            }
            for (count, (size, before)) in zip(counts, zip(sizes.dropFirst(), sizes)) {
                let head = size - before - Int64(count)
                guard 1...Self.headAllowance ~= head else {
                    throw ContractViolation(
                        """
                        size() grew by \(size - before) when a response with a body of \(count) bytes was stored. It \
                        counts bodies and heads, and this head takes at least 1 and at most \(Self.headAllowance) bytes.
                        """
                    )
                }
            }
            for (id, size) in zip(ids, sizes).reversed() {
                try await store.remove([id])
                try await DuetContracts.expect(
                    store.size(),
                    toBe: size,
                    "size() after remove(_:), as before that response was stored"
                )
            }
        }

        func endures(_ open: Open) async throws {
            guard store.isDurable else { return }
            let bytes = [Self.bytes(1, count: 1_000_000), Data(), Data("small".utf8)]
            let first = try await insert(1, bytes[0])
            let second = try await insert(2, bytes[1])
            let third = try await insert(3, bytes[2], for: Self.key(1, partition: "ada"))
            try await store.update(first.id, to: Self.head(7, length: 1_000_000))
            let again = try await HTTPCacheStoreSubject(open(64 * 1024 * 1024))
            let updated = HTTPCacheEntry(id: first.id, response: Self.head(7, length: 1_000_000))
            try await again.expect([updated], for: Self.key(1))
            try await again.expect([second], for: Self.key(2))
            try await again.expect([third], for: Self.key(1, partition: "ada"))
            for (entry, bytes) in zip([first, second, third], bytes) {
                try await again.expect(body: bytes, of: entry.id)
            }
            try await DuetContracts.expect(
                again.store.size(),
                toBe: store.size(),
                "size() of a durable store after opening it again"
            )
            let next = try await again.insert(4, Data())
            guard ![first.id, second.id, third.id].contains(next.id) else {
                throw ContractViolation(
                    "commit(_:replacing:) returned the id \(next.id) again after opening, but no two entries may have one id"
                )
            }
        }

        func sharesItsLocation(_ open: Open) async throws {
            guard store.isDurable else { return }
            let other = try await HTTPCacheStoreSubject(open(64 * 1024 * 1024))
            let first = try await insert(1, Self.bytes(1, count: 300_000))
            try await other.expect([first], for: Self.key(1))
            try await other.expect(body: Self.bytes(1, count: 300_000), of: first.id)
            let second = try await other.insert(2, Data("two".utf8), for: Self.key(1), replacing: [first.id])
            try await expect([second], for: Self.key(1))
            try await expect(body: nil, of: first.id)
            try await store.removeAll()
            try await other.expect([], for: Self.key(1))
            try await DuetContracts.expect(
                other.store.size(),
                toBe: 0,
                "size() of the other store at the same location after removeAll()"
            )
        }
    }

#endif
