#if HTTP

    import DuetHTTP
    package import DuetHTTPCaching
    package import Foundation
    import HTTPTypes

    /// A store under test, with sample responses and expectations.
    package struct HTTPCacheStoreSubject: Sendable {
        package typealias Open = (_ capacity: Int64) async throws -> any HTTPCacheStore

        package let store: any HTTPCacheStore

        package init(_ store: any HTTPCacheStore) {
            self.store = store
        }

        /// Returns a key whose URI has the same length for all numbers from 0 to 9.
        package static func key(_ number: Int, partition: String = "") -> HTTPCacheKey {
            HTTPCacheKey(partition: partition, uri: "http://store.invalid/\(number)")
        }

        /// Returns a head that contains the number and has the same length for all numbers from 0 to 9.
        package static func head(_ number: Int, length: Int = 0, padding: Int = 0) -> StoredResponse {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "store.invalid", path: "/\(number)")
            let fields: HTTPFields = [
                .eTag: "\"\(number)\"", .contentType: "text/plain", .cacheControl: "max-age=60",
                .server: String(repeating: "x", count: padding),
            ]
            let moment = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
            return StoredResponse(
                method: .get,
                selection: SelectingFields(fields, of: request),
                response: HTTPResponse(status: .ok, headerFields: fields),
                times: ExchangeTimes(requested: moment, received: moment + 0.125),
                content: .whole(Int64(length))
            )
        }

        /// Returns bytes that identify the number and the position.
        ///
        /// They repeat after a prime number of words, so that moved or mixed-up pieces are detected.
        package static func bytes(_ number: Int, count: Int) -> Data {
            let words = (0..<UInt64(1009)).map { ($0 ^ UInt64(number) << 40) &* 0x9E37_79B9_7F4A_7C15 }
            let block = unsafe words.withUnsafeBytes { unsafe Data($0) }
            var bytes = Data(capacity: count + block.count)
            while bytes.count < count { bytes.append(block) }
            return bytes.prefix(count)
        }

        /// Stores a response, and expects the store to accept it.
        @discardableResult
        package func insert(
            _ number: Int,
            _ body: Data,
            for key: HTTPCacheKey? = nil,
            replacing replaced: [HTTPCacheEntry.ID] = []
        ) async throws -> HTTPCacheEntry {
            let writer = try await store.writer(for: key ?? Self.key(number), length: nil)
            try await writer.append(body)
            let head = Self.head(number, length: body.count)
            guard let entry = try await writer.commit(head, replacing: replaced) else {
                throw ContractViolation(
                    "commit(_:replacing:) returned nil, although there is room for response \(number)"
                )
            }
            try DuetContracts.expect(
                entry.response == head,
                toBe: true,
                "commit(_:replacing:) returns the entry with the head that it was given"
            )
            return entry
        }

        /// Expects the entries of a key, the most recent one first.
        package func expect(_ entries: [HTTPCacheEntry], for key: HTTPCacheKey) async throws {
            let found = try await store.entries(for: key)
            try DuetContracts.expect(
                found.map(\.id),
                toBe: entries.map(\.id),
                "the ids of entries(for: \(key)), the one stored last first"
            )
            try DuetContracts.expect(
                found == entries,
                toBe: true,
                "entries(for: \(key)) returns the heads as they were stored"
            )
        }

        /// Expects the body of an entry, or a range of it; nil if the entry is gone.
        package func expect(body: Data?, of id: HTTPCacheEntry.ID, in range: Range<Int64>? = nil) async throws {
            let found = try await self.body(of: id, in: range)
            let name = Self.name(of: id, in: range)
            let demand = body == nil ? "nil, because the entry was removed" : "the bytes of the range that exist"
            try DuetContracts.expect(found?.count, toBe: body?.count, "the bytes of \(name), which returns \(demand)")
            try DuetContracts.expect(found == body, toBe: true, "\(name) returns the bytes that were stored")
        }

        package func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>? = nil) async throws -> Data? {
            guard let body = try await store.body(of: id, in: range) else { return nil }
            let data = try await body.collect(
                upTo: .max,
                orThrow: ContractViolation("\(Self.name(of: id, in: range)) has no end")
            )
            if let size = body.size {
                try DuetContracts.expect(
                    size,
                    toBe: Int64(data.count),
                    "HTTPBody.size of \(Self.name(of: id, in: range)), which is the length of what is returned"
                )
            }
            return data
        }

        private static func name(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) -> String {
            "body(of: \(id), in: \(range.map { "\($0)" } ?? "nil"))"
        }
    }

#endif
