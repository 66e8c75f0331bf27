#if HTTP

    import DuetHTTP
    import DuetHTTPCaching
    import Foundation

    extension HTTPCacheStoreSubject {
        func replacesInOneStep() async throws {
            let key = Self.key(1)
            var entry = try await insert(0, Self.bytes(0, count: 1_000), for: key)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<100 {
                        let count = try await store.entries(for: key).count
                        try DuetContracts.expect(
                            count,
                            toBe: 1,
                            "the number of entries(for:) while commit(_:replacing:) replaces one with another"
                        )
                    }
                }
                for number in 1...30 {
                    entry = try await insert(number, Self.bytes(number, count: 1_000), for: key, replacing: [entry.id])
                }
                try await group.waitForAll()
            }
            try await expect([entry], for: key)
            let others = try await [
                insert(1, Data(), for: key), insert(2, Data(), for: key), insert(3, Data(), for: key),
            ]
            let replaced = [entry.id, others[0].id, others[2].id, others[2].id]
            let last = try await insert(4, Data(), for: key, replacing: replaced)
            try await expect([last, others[1]], for: key)
        }

        func neverReusesIDs() async throws {
            var ids: Set<HTTPCacheEntry.ID> = []
            for number in 0..<9 {
                let id = try await insert(number, Data("\(number)".utf8)).id
                guard ids.insert(id).inserted else {
                    throw ContractViolation(
                        "commit(_:replacing:) returned the id \(id) twice, but no two entries may have one id"
                    )
                }
                switch number % 3 {
                case 0: try await store.remove([id])
                case 1: try await store.removeAll()
                default: try await store.removeAll(uri: Self.key(number).uri)
                }
            }
        }

        func finishesBodies() async throws {
            for count in [1, 100_000, 3_000_000] {
                for way in 0..<4 {
                    let entry = try await insert(1, Self.bytes(1, count: count))
                    guard let body = try await store.body(of: entry.id, in: nil) else {
                        throw ContractViolation(
                            "body(of: \(entry.id), in: nil) is nil, although \(count) bytes were stored"
                        )
                    }
                    var pieces = body.makeAsyncIterator()
                    var found = try await pieces.next() ?? Data()
                    switch way {
                    case 0: try await store.remove([entry.id])
                    case 1: try await store.removeAll(uri: Self.key(1).uri)
                    case 2: try await store.removeAll()
                    default: try await insert(1, Self.bytes(2, count: count), replacing: [entry.id])
                    }
                    do {
                        while let piece = try await pieces.next() { found += piece }
                    } catch {
                        continue
                    }
                    try DuetContracts.expect(
                        found.count,
                        toBe: count,
                        "the bytes of a body whose entry was removed while it was read, to its end or to an error"
                    )
                    try DuetContracts.expect(
                        found == Self.bytes(1, count: count),
                        toBe: true,
                        "a body whose entry was removed while it was read has the bytes that were stored"
                    )
                }
            }
        }

        func keepsBodiesThatAreRead(_ open: Open) async throws {
            let subject = try await HTTPCacheStoreSubject(open(5_000_000))
            let bytes = Self.bytes(1, count: 1_000_000)
            for (way, isBegun) in (0..<4).flatMap({ [($0, true), ($0, false)] }) {
                let entry = try await subject.insert(1, bytes)
                guard let body = try await subject.store.body(of: entry.id, in: nil) else {
                    throw ContractViolation("body(of: \(entry.id), in: nil) is nil, although its entry was stored")
                }
                var pieces = body.makeAsyncIterator()
                var found = isBegun ? try await pieces.next() ?? Data() : Data()
                switch way {
                case 0: try await subject.store.remove([entry.id])
                case 1: try await subject.store.removeAll(uri: Self.key(1).uri)
                case 2: try await subject.insert(1, Self.bytes(2, count: 1_000_000), replacing: [entry.id])
                default:
                    for number in 2...6 {
                        try await subject.insert(number, Self.bytes(number, count: 900_000))
                    }
                }
                try await subject.expect(body: nil, of: entry.id)
                while let piece = try await pieces.next() { found += piece }
                try DuetContracts.expect(
                    found.count,
                    toBe: bytes.count,
                    "the bytes of a body whose entry was removed in way \(way) while it was read"
                )
                try DuetContracts.expect(
                    found == bytes,
                    toBe: true,
                    "a body whose entry was removed in way \(way) while it was read has the bytes that were stored"
                )
                for entry in try await subject.store.entries(for: Self.key(1)) {
                    try await subject.store.remove([entry.id])
                }
            }
        }

        func updatesHeads() async throws {
            let key = Self.key(1)
            let bytes = Self.bytes(1, count: 200_000)
            let entry = try await insert(1, bytes)
            let other = try await insert(2, Data("other".utf8), for: key)
            let head = Self.head(5, length: bytes.count, padding: 500)
            try await store.update(entry.id, to: head)
            try await expect([other, HTTPCacheEntry(id: entry.id, response: head)], for: key)
            try await expect(body: bytes, of: entry.id)
            try await expect(body: Data("other".utf8), of: other.id)
        }

        func toleratesMissingResponses() async throws {
            let gone = try await insert(1, Data("gone".utf8))
            let kept = try await insert(2, Data("kept".utf8))
            try await store.remove([gone.id, gone.id])
            let size = try await store.size()
            try await store.update(gone.id, to: Self.head(1))
            try await store.markUsed(gone.id)
            try await store.remove([gone.id])
            try await store.removeAll(uri: Self.key(1).uri)
            try await expect([], for: Self.key(1))
            try await expect(body: nil, of: gone.id)
            try await expect([kept], for: Self.key(2))
            try await DuetContracts.expect(store.size(), toBe: size, "size() after changing a missing response")
        }
    }

#endif
