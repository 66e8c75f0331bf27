import DuetCaching
import Foundation
import Synchronization

/// Keeps values of queries in one file, which is read and written as a whole: for a few small values.
final class FileCacheStore: CacheStore {
    private struct Row: Codable {
        let query: String
        let version: Int
        let scope: String?
        let encodedQuery: Data
        var bytes: Data
        let loaded: Date
        let usableUntil: Date?
        let tags: [String]
        let writer: UUID
        let epoch: Int
        let isKeptWhenStale: Bool
        var isStale: Bool

        var key: CacheKey {
            CacheKey(query: query, version: version, scope: scope, encodedQuery: encodedQuery)
        }
    }

    private struct Contents: Codable {
        var rows: [Row] = []
        /// The number of the last mark of each writer, by its identifier.
        var marks: [String: Int64] = [:]
        var lastChange: Int64 = 0
        var lastRemoval: Int64 = 0

        func stamp(for writer: UUID) -> Int64 {
            marks.filter { $0.key != writer.uuidString }.values.reduce(lastRemoval, max)
        }

        mutating func mark(_ isMarked: (Row) -> Bool) {
            for index in rows.indices where isMarked(rows[index]) { rows[index].isStale = true }
            rows.removeAll { $0.isStale && !$0.isKeptWhenStale }
        }
    }

    /// One for all files of this process.
    private static let lock = Mutex(())

    private let file: URL

    init(_ file: URL) {
        self.file = file
    }

    var location: String? { file.path }

    private func read() throws -> Contents {
        guard FileManager.default.fileExists(atPath: file.path) else { return Contents() }
        return try PropertyListDecoder().decode(Contents.self, from: Data(contentsOf: file))
    }

    private func change(_ body: (inout Contents) -> Void) throws {
        try Self.lock.withLock { _ in
            var contents = try read()
            body(&contents)
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            try encoder.encode(contents).write(to: file, options: .atomic)
        }
    }

    func value(for key: CacheKey) async throws -> StoredValue? {
        try Self.lock.withLock { _ in try read() }.rows.first { $0.key == key }.map { row in
            StoredValue(
                bytes: row.bytes,
                loaded: row.loaded,
                usableUntil: row.usableUntil,
                tags: row.tags,
                writer: row.writer,
                epoch: row.epoch,
                isKeptWhenStale: row.isKeptWhenStale,
                isStale: row.isStale
            )
        }
    }

    func insert(_ value: StoredValue, for key: CacheKey) async throws {
        try change { contents in
            if let stamp = value.stamp, stamp < contents.lastRemoval { return }
            let isOld = value.stamp.map { $0 != contents.stamp(for: value.writer) } ?? false
            contents.rows.removeAll { $0.key == key }
            contents.rows.append(
                Row(
                    query: key.query,
                    version: key.version,
                    scope: key.scope,
                    encodedQuery: key.encodedQuery,
                    bytes: value.bytes,
                    loaded: value.loaded,
                    usableUntil: value.usableUntil,
                    tags: value.tags,
                    writer: value.writer,
                    epoch: value.epoch,
                    isKeptWhenStale: value.isKeptWhenStale,
                    isStale: value.isStale || isOld
                )
            )
            contents.mark { _ in false }
        }
    }

    func stamp(for writer: UUID) async throws -> Int64 {
        try Self.lock.withLock { _ in try read() }.stamp(for: writer)
    }

    func markStale(_ values: StoredValues, by writer: UUID) async throws {
        try change { contents in
            contents.lastChange += 1
            contents.marks[writer.uuidString] = contents.lastChange
            contents.mark { row in
                switch values {
                case .keys(let keys): keys.contains(row.key)
                case .query(let name, let condition): row.query == name && condition(row.key)
                case .tag(let tag): row.tags.contains(tag)
                case .everything: true
                }
            }
        }
    }

    func updateStale(query name: String, _ change: @escaping @Sendable (CacheKey, Data) -> Data?) async throws {
        try self.change { contents in
            for index in contents.rows.indices {
                let row = contents.rows[index]
                guard row.query == name, row.isStale, let bytes = change(row.key, row.bytes) else { continue }
                contents.rows[index].bytes = bytes
            }
        }
    }

    func remove(_ keys: [CacheKey]) async throws {
        try change { $0.rows.removeAll { keys.contains($0.key) } }
    }

    func removeExpired(at date: Date) async throws {
        try change { $0.rows.removeAll { $0.usableUntil.map { $0 <= date } ?? false } }
    }

    func removeAll() async throws {
        try change { contents in
            contents.lastChange += 1
            contents.lastRemoval = contents.lastChange
            contents.rows = []
        }
    }
}
