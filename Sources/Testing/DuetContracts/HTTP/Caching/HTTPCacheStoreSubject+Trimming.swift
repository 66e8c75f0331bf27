#if HTTP

    import DuetHTTPCaching
    import Foundation

    extension HTTPCacheStoreSubject {
        static let count = 10_000

        func trims(_ open: Open) async throws {
            let unit = try await unit()
            for excess: Int64 in [-1, 0, 1] {
                let subject = try await emptied(open, capacity: 5 * unit + excess)
                var entries: [HTTPCacheEntry] = []
                for number in 1...5 { entries.append(try await subject.insertUnit(number)) }
                try await subject.expect(units: excess < 0 ? 2...5 : 1...5, of: 1...5)
                entries.append(try await subject.insertUnit(6))
                try await subject.expect(units: excess < 0 ? 3...6 : 2...6, of: 1...6)
                try await subject.expect(body: nil, of: entries[0].id)
                guard try await subject.store.size() <= 5 * unit + excess else {
                    throw ContractViolation("size() is more than the store's capacity after a commit")
                }
            }
        }

        func countsUse(_ open: Open) async throws {
            let unit = try await unit()
            let subject = try await emptied(open, capacity: 4 * unit)
            var entries: [HTTPCacheEntry] = []
            for number in 1...4 { entries.append(try await subject.insertUnit(number)) }
            try await subject.store.markUsed(entries[2].id)
            try await subject.store.markUsed(entries[0].id)
            _ = try await subject.store.entries(for: Self.key(2))
            try await subject.insertUnit(5)
            try await subject.expect(units: [1, 3, 4, 5], of: 1...5)
            try await subject.store.update(entries[3].id, to: Self.head(4, length: Self.count))
            try await subject.insertUnit(6)
            try await subject.expect(units: [1, 4, 5, 6], of: 1...6)
            // Frequency does not count: only the last of a hundred uses matters.
            for _ in 0..<100 { try await subject.store.markUsed(entries[3].id) }
            for number in 7...9 { try await subject.insertUnit(number) }
            try await subject.expect(units: [4, 7, 8, 9], of: 1...9)
            try await subject.insertUnit(0)
            try await subject.expect(units: [0, 7, 8, 9], of: 0...9)
        }

        func refusesLargeResponses(_ open: Open) async throws {
            let unit = try await unit()
            for excess: Int64 in [-1, 0, 1] {
                let subject = try await emptied(open, capacity: 4 * (unit + excess))
                for (pieces, length) in [(1, nil), (10, nil), (Self.count, nil), (10, Int64(Self.count))] {
                    let old = try await subject.insert(1, Data())
                    let writer = try await subject.store.writer(for: Self.key(1), length: length)
                    let bytes = Self.bytes(2, count: Self.count)
                    for start in stride(from: 0, to: bytes.count, by: bytes.count / pieces) {
                        try await writer.append(bytes[start..<min(bytes.count, start + bytes.count / pieces)])
                    }
                    let entry = try await writer.commit(Self.head(2, length: Self.count), replacing: [old.id])
                    try DuetContracts.expect(
                        entry == nil,
                        toBe: excess < 0,
                        "commit(_:replacing:) returns nil in a store with \(excess) bytes more than needed"
                    )
                    try await subject.expect(entry.map { [$0] } ?? [], for: Self.key(1))
                    try await subject.store.removeAll()
                }
            }
        }

        func makesRoomForUpdates(_ open: Open) async throws {
            let unit = try await unit()
            let subject = try await emptied(open, capacity: 4 * unit)
            var entries: [HTTPCacheEntry] = []
            for number in 1...4 { entries.append(try await subject.insertUnit(number)) }
            try await subject.store.update(entries[0].id, to: Self.head(1, length: Self.count, padding: 100))
            try await subject.expect(units: [1, 3, 4], of: 1...4)
            guard try await subject.store.size() <= 4 * unit else {
                throw ContractViolation("size() is more than the store's capacity after update(_:to:)")
            }
        }

        /// Returns the number of bytes that one response takes.
        func unit() async throws -> Int64 {
            try await insertUnit(1)
            let size = try await store.size()
            try await store.removeAll()
            return size
        }

        /// Returns another, empty store at the same location.
        func emptied(_ open: Open, capacity: Int64) async throws -> HTTPCacheStoreSubject {
            let subject = try await HTTPCacheStoreSubject(open(capacity))
            try await subject.store.removeAll()
            return subject
        }

        @discardableResult
        func insertUnit(_ number: Int) async throws -> HTTPCacheEntry {
            try await insert(number, Self.bytes(number, count: Self.count))
        }

        func expect(units kept: some Sequence<Int>, of numbers: some Sequence<Int>) async throws {
            var found: [Int] = []
            for number in numbers {
                for entry in try await store.entries(for: Self.key(number)) {
                    try await expect(body: Self.bytes(number, count: Self.count), of: entry.id)
                    found.append(number)
                }
            }
            try DuetContracts.expect(
                found,
                toBe: Array(kept),
                "the responses that remain after the least recently used were evicted"
            )
        }
    }

    extension HTTPCacheStoreSubject {
        func survivesEndlessBodies(_ open: Open) async throws {
            let (subject, _) = try await filled(open)
            let old = try await subject.insert(1, Data(), for: Self.key(21))
            let writer = try await subject.store.writer(for: Self.key(21), length: nil)
            var hasRoom = true
            for number in 1...300 {
                hasRoom = try await writer.append(Self.bytes(number, count: Self.count))
                if number.isMultiple(of: 30) { try await subject.expect(atLeast: 7...20) }
            }
            try DuetContracts.expect(hasRoom, toBe: false, "append(_:) of fifteen times the capacity")
            let head = Self.head(1, length: 300 * Self.count)
            let entry = try await writer.commit(head, replacing: [old.id])
            try DuetContracts.expect(entry, toBe: nil, "commit(_:replacing:) of fifteen times the capacity")
            try await subject.expect([], for: Self.key(21))
            try await subject.expect(atLeast: 7...20)
            // A discarded body reserves no room.
            for number in 1...20 { try await subject.insertUnit(number) }
            try await subject.expect(units: 1...20, of: 1...20)
        }

        func survivesManyWriters(_ open: Open) async throws {
            let (subject, _) = try await filled(open)
            var writers: [any HTTPCacheWriter] = []
            for number in 21...30 {
                let writer = try await subject.store.writer(for: Self.key(number), length: nil)
                // The store may reject the bytes.
                for _ in 1...4 { _ = try? await writer.append(Self.bytes(number, count: Self.count)) }
                writers.append(writer)
                try await subject.expect(atLeast: 11...20)
            }
            for writer in writers { await writer.discard() }
            for number in 1...20 { try await subject.insertUnit(number) }
            try await subject.expect(units: 1...20, of: 1...20)
        }

        func heedsLengths(_ open: Open) async throws {
            let (subject, capacity) = try await filled(open)
            for length in [capacity / 4 + 1, .max] {
                let writer = try await subject.store.writer(for: Self.key(21), length: length)
                for number in 1...4 { try await writer.append(Self.bytes(number, count: Self.count)) }
                try await subject.expect(units: 1...20, of: 1...20)
                let entry = try await writer.commit(Self.head(1, length: Int(clamping: length)), replacing: [])
                try DuetContracts.expect(
                    entry,
                    toBe: nil,
                    "commit(_:replacing:) of a body of \(length) bytes, of which four pieces were appended"
                )
            }
            try await subject.expect(units: 1...20, of: 1...20)
        }

        /// Returns a store with a capacity for twenty responses, filled with twenty.
        private func filled(_ open: Open) async throws -> (HTTPCacheStoreSubject, capacity: Int64) {
            // Numbers from 10 on have one more digit, in the URI and in the tag.
            let capacity = try await 20 * (unit() + 4)
            let subject = try await emptied(open, capacity: capacity)
            for number in 1...20 { try await subject.insertUnit(number) }
            try await subject.expect(units: 1...20, of: 1...20)
            return (subject, capacity)
        }

        private func expect(atLeast kept: ClosedRange<Int>) async throws {
            try await expect(units: kept, of: kept)
        }
    }

#endif
