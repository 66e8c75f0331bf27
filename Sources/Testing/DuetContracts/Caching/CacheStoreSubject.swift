#if Caching || HTTP

    import Duet
    package import DuetCaching
    package import Foundation

    /// A store under test, with sample values and expectations.
    package struct CacheStoreSubject: Sendable {
        package let store: any CacheStore

        package init(_ store: any CacheStore) {
            self.store = store
        }

        package static func key(
            _ number: Int,
            query: String = "Store.Sample",
            version: Int = 1,
            scope: String? = nil
        ) -> CacheKey {
            CacheKey(query: query, version: version, scope: scope, encodedQuery: Data("{\"number\":\(number)}".utf8))
        }

        /// Returns a value that identifies the number, with dates that have no short decimal form.
        package static func value(
            _ number: Int,
            count: Int = 100,
            usableUntil: Date? = nil,
            tags: [String] = [],
            isKept: Bool = false,
            stamp: Int64? = nil
        ) -> StoredValue {
            StoredValue(
                bytes: bytes(number, count: count),
                loaded: Date(timeIntervalSinceReferenceDate: 800_000_000.1 + Double(number) / 3),
                usableUntil: usableUntil,
                tags: tags,
                writer: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number & 0xFF))),
                epoch: number,
                isKeptWhenStale: isKept,
                stamp: stamp
            )
        }

        /// Returns bytes that identify the number and the position.
        ///
        /// They repeat after a prime number, so that moved or mixed-up pieces are detected.
        package static func bytes(_ number: Int, count: Int) -> Data {
            let block = (0..<1009).map { UInt8(truncatingIfNeeded: ($0 &* 31 ^ number &* 7) >> ($0 % 3)) }
            var bytes = Data(capacity: count + block.count)
            while bytes.count < count { bytes.append(contentsOf: block) }
            return bytes.prefix(count)
        }

        /// Stores a sample value, and returns it.
        @discardableResult
        package func insert(
            _ number: Int,
            count: Int = 100,
            usableUntil: Date? = nil,
            tags: [String] = [],
            isKept: Bool = false,
            for key: CacheKey? = nil
        ) async throws -> StoredValue {
            let value = Self.value(number, count: count, usableUntil: usableUntil, tags: tags, isKept: isKept)
            try await store.insert(value, for: key ?? Self.key(number))
            return value
        }

        /// Stores a value under the first key.
        func insert(_ value: StoredValue) async throws { try await store.insert(value, for: Self.key(1)) }

        /// Marks values as the writer of no sample value.
        package func markStale(_ values: StoredValues) async throws {
            try await store.markStale(values, by: Self.value(-1).writer)
        }

        /// Expects the value of a key; nil for none.
        package func expect(
            _ value: StoredValue?,
            isStale: Bool = false,
            for key: CacheKey = CacheStoreSubject.key(1)
        ) async throws {
            let found = try await store.value(for: key)
            let name = "value(for:) of \(Self.name(of: key))"
            try require(found == nil, toBe: value == nil, "\(name) is nil")
            guard let found, let value else { return }
            func check<Part: Equatable>(_ what: String, _ part: (StoredValue) -> Part) throws {
                try require(part(found), toBe: part(value), "\(what) of \(name)")
            }
            try check("the number of bytes", \.bytes.count)
            try require(found.bytes == value.bytes, "\(name) has the bytes that were stored")
            try check("the bits of loaded", \.loaded.bits)
            try check("the bits of usableUntil", \.usableUntil?.bits)
            try check("the tags", \.tags)
            try check("the writer", \.writer)
            try check("the epoch", \.epoch)
            try check("isKeptWhenStale", \.isKeptWhenStale)
            try require(found.isStale, toBe: isStale, "isStale of \(name)")
        }

        /// Expects the sample values of the given numbers only.
        package func expect(numbers kept: some Sequence<Int>, of numbers: some Sequence<Int>) async throws {
            var found: [Int] = []
            for number in numbers where try await store.value(for: Self.key(number)) != nil { found.append(number) }
            try require(found, toBe: Array(kept), "the values that remain")
        }

        /// Returns the keys of a query that a condition receives.
        package func keys(ofQuery name: String) async throws -> [CacheKey] {
            let keys = Monitor<[CacheKey]>([])
            try await markStale(
                .query(name: name) { key in
                    keys.update { $0.append(key) }
                    return false
                }
            )
            return keys.read(\.self)
        }

        /// Expects the keys of a query, in any order.
        package func expect(_ keys: [CacheKey], ofQuery name: String) async throws {
            try require(
                await self.keys(ofQuery: name).map(Self.name(of:)).sorted(),
                toBe: keys.map(Self.name(of:)).sorted(),
                "the keys of the query \(name)"
            )
        }

        private static func name(of key: CacheKey) -> String {
            let scope = key.scope.map { "\"\($0)\"" } ?? "nil"
            let query = String(decoding: key.encodedQuery, as: UTF8.self)
            return "\(key.query), version \(key.version), scope \(scope), \(query)"
        }
    }

    extension Date {
        fileprivate var bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
    }

#endif
