#if HTTP

    import DuetHTTPCaching
    import Foundation

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
            try DuetTesting.expect(hasRoom, toBe: false, "append(_:) of fifteen times what fits")
            let head = Self.head(1, length: 300 * Self.count)
            let entry = try await writer.commit(head, replacing: [old.id])
            try DuetTesting.expect(entry, toBe: nil, "fifteen times what fits")
            try await subject.expect([], for: Self.key(21))
            try await subject.expect(atLeast: 7...20)
            // It keeps no room.
            for number in 1...20 { try await subject.insertUnit(number) }
            try await subject.expect(units: 1...20, of: 1...20)
        }

        func survivesManyWriters(_ open: Open) async throws {
            let (subject, _) = try await filled(open)
            var writers: [any HTTPCacheWriter] = []
            for number in 21...30 {
                let writer = try await subject.store.writer(for: Self.key(number), length: nil)
                // It need not be taken.
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
                try DuetTesting.expect(entry, toBe: nil, "a body of \(length) bytes of which few came")
            }
            try await subject.expect(units: 1...20, of: 1...20)
        }

        /// A store for twenty responses with as many in it.
        private func filled(_ open: Open) async throws -> (HTTPCacheStoreSubject, capacity: Int64) {
            // From 10 on a number has a digit more, in its URI and in its tag.
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
