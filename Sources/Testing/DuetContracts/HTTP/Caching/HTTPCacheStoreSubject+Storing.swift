#if HTTP

    import DuetHTTPCaching
    import Foundation

    extension HTTPCacheStoreSubject {
        func hasNothing() async throws {
            for _ in 0..<2 {
                try await expect([], for: Self.key(1))
                try await expect(body: nil, of: 1)
                try await DuetContracts.expect(store.size(), toBe: 0, "size() of an empty store")
            }
            try await store.removeAll()
            try await store.removeAll(uri: Self.key(1).uri)
            try await expect([], for: Self.key(1))
        }

        func keepsResponses() async throws {
            let bodies = [1: Data("one".utf8), 2: Data([0, 255, 10, 13, 0]), 3: Self.bytes(3, count: 100_000)]
            var entries: [Int: HTTPCacheEntry] = [:]
            for (number, body) in bodies { entries[number] = try await insert(number, body) }
            for _ in 0..<2 {
                for (number, body) in bodies {
                    guard let entry = entries[number] else { continue }
                    try await expect([entry], for: Self.key(number))
                    try await expect(body: body, of: entry.id)
                }
            }
        }

        func hidesUntilCommit() async throws {
            let key = Self.key(1)
            let old = try await insert(1, Data("old".utf8))
            let size = try await store.size()
            let writer = try await store.writer(for: key, length: nil)
            for count in [0, 1, 70_000, 2_000_000] {
                try await writer.append(Self.bytes(2, count: count))
                try await expect([old], for: key)
                try await expect(body: Data("old".utf8), of: old.id)
            }
            let entry = try await writer.commit(Self.head(2, length: 2_070_001), replacing: [old.id])
            try await expect(entry.map { [$0] } ?? [], for: key)
            try await expect(body: nil, of: old.id)
            guard try await store.size() > size + 2_000_000 else {
                throw ContractViolation("size() grew by less than the body of a response that was committed")
            }
        }

        func forgetsDiscardedResponses() async throws {
            let old = try await insert(1, Data("old".utf8))
            let size = try await store.size()
            for count in [0, 1, 2_000_000] {
                let discarded = try await store.writer(for: Self.key(1), length: nil)
                try await discarded.append(Self.bytes(2, count: count))
                await discarded.discard()
                _ = try await store.writer(for: Self.key(1), length: nil).append(Self.bytes(3, count: count))
                try await expect([old], for: Self.key(1))
            }
            try await expect(body: Data("old".utf8), of: old.id)
            try await insert(4, Data("next".utf8))
            try await store.remove(store.entries(for: Self.key(4)).map(\.id))
            try await DuetContracts.expect(store.size(), toBe: size, "size() without the discarded responses")
        }

        func keepsEmptyBodies() async throws {
            let without = try await store.writer(for: Self.key(1), length: nil).commit(Self.head(1), replacing: [])
            let with = try await insert(2, Data())
            for entry in [without, with] {
                guard let entry else {
                    throw ContractViolation("commit(_:replacing:) returned nil for a response without a body")
                }
                try await expect(body: Data(), of: entry.id)
                try await expect(body: Data(), of: entry.id, in: 0..<0)
                try await expect(body: Data(), of: entry.id, in: 0..<10)
            }
        }

        func keepsLargeBodies() async throws {
            let bytes = Self.bytes(1, count: 5_000_003)
            for size in [1_000, 65_535, 65_536, 65_537, 131_072, 1_048_576, 5_000_003] {
                let writer = try await store.writer(for: Self.key(1), length: nil)
                for start in stride(from: 0, to: bytes.count, by: size) {
                    try await writer.append(bytes[start..<min(bytes.count, start + size)])
                }
                let entry = try await writer.commit(Self.head(1, length: bytes.count), replacing: [])
                guard let entry else {
                    throw ContractViolation(
                        "commit(_:replacing:) returned nil for a large body in pieces of \(size) bytes"
                    )
                }
                try await expect(body: bytes, of: entry.id)
                try await store.remove([entry.id])
            }
        }

        func readsRanges() async throws {
            let bytes = Self.bytes(1, count: 1_000_000)
            let id = try await insert(1, bytes).id
            let bounds = [0, 1, 65_535, 65_536, 65_537, 131_072, 500_000, 999_999, 1_000_000]
            for lower in bounds {
                for upper in bounds where upper >= lower {
                    try await expect(body: bytes[lower..<upper], of: id, in: Int64(lower)..<Int64(upper))
                }
            }
            try await expect(body: bytes[999_990...], of: id, in: 999_990..<1_000_001)
            try await expect(body: bytes[10...], of: id, in: 10..<Int64.max)
            try await expect(body: Data(), of: id, in: 1_000_001..<2_000_000)
            try await expect(body: nil, of: id + 1, in: 0..<1)
        }

        func ordersByCommit() async throws {
            let key = Self.key(1)
            let late = try await store.writer(for: key, length: nil)
            try await late.append(Self.bytes(1, count: 2_000_000))
            let first = try await insert(2, Data("first".utf8), for: key)
            let second = try await insert(3, Data("second".utf8), for: key)
            let third = try await late.commit(Self.head(1, length: 2_000_000), replacing: [])
            guard let third else {
                throw ContractViolation(
                    "commit(_:replacing:) returned nil for the response that was begun first and committed last"
                )
            }
            try await store.markUsed(first.id)
            try await expect([third, second, first], for: key)
        }

        func servesManyWriters() async throws {
            let key = Self.key(1)
            let counts = [10, 300_000, 2_000_000, 0, 65_536, 1, 100_000]
            let entries = try await withThrowingTaskGroup(of: (Int, HTTPCacheEntry).self) { group in
                for (number, count) in counts.enumerated() {
                    group.addTask {
                        let writer = try await store.writer(for: key, length: nil)
                        let bytes = Self.bytes(number, count: count)
                        for start in stride(from: 0, to: count, by: 50_000) {
                            try await writer.append(bytes[start..<min(count, start + 50_000)])
                        }
                        let entry = try await writer.commit(Self.head(number, length: count), replacing: [])
                        guard let entry else {
                            throw ContractViolation("commit(_:replacing:) of writer \(number) of one key returned nil")
                        }
                        return (number, entry)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            let found = try await store.entries(for: key)
            try DuetContracts.expect(
                found.map(\.id).sorted(),
                toBe: entries.values.map(\.id).sorted(),
                "the ids of entries(for:) of all writers of one key"
            )
            try DuetContracts.expect(
                Set(found) == Set(entries.values),
                toBe: true,
                "entries(for:) of all writers of one key returns the heads as they were stored"
            )
            for (number, entry) in entries {
                try await expect(body: Self.bytes(number, count: counts[number]), of: entry.id)
            }
        }
    }

#endif
