import DuetCaching
import Foundation

/// A key in the form of the database.
struct EncodedKey {
    /// All parts of the key.
    let bytes: [UInt8]
    /// A hash of these bytes.
    ///
    /// Of two keys with one number, the key that is stored last displaces the other.
    let id: Int64

    init(_ key: CacheKey) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 + key.query.utf8.count + (key.scope?.utf8.count ?? 0) + key.encodedQuery.count)
        bytes.append(key.query)
        bytes.append(UInt64(bitPattern: Int64(key.version)))
        bytes.append(key.scope == nil ? 0 : 1 as UInt8)
        if let scope = key.scope { bytes.append(scope) }
        bytes.append(contentsOf: key.encodedQuery)
        self.bytes = bytes
        id = Self.id(of: bytes)
    }

    static func id(of bytes: some ContiguousBytes) -> Int64 { Int64(bitPattern: MurmurHash.hash(bytes)) }
}

extension CacheKey {
    init?(encoded bytes: Data) {
        guard
            let key: CacheKey = unsafe bytes.withUnsafeBytes({ bytes in
                var reader = unsafe Reader(bytes)
                guard let query = reader.text(), let version = reader.integer(of: UInt64.self),
                    let hasScope = reader.integer(of: UInt8.self), hasScope <= 1
                else { return nil }
                let scope = hasScope == 1 ? reader.text() : nil
                guard (scope != nil) == (hasScope == 1) else { return nil }
                return CacheKey(
                    query: query,
                    version: Int(Int64(bitPattern: version)),
                    scope: scope,
                    encodedQuery: unsafe Data(reader.rest)
                )
            })
        else { return nil }
        self = key
    }
}

/// The columns of a value other than its bytes, in the form of the database.
struct EncodedValue {
    /// The part of a row that cannot be decoded, in words.
    struct Damage: Error {
        let reason: String
    }

    let tags: [UInt8]
    /// A hash of everything but the mark, which detects changed bytes that SQLite does not.
    let checksum: Int64

    init(_ value: StoredValue, for id: Int64) {
        var tags: [UInt8] = []
        for tag in value.tags { tags.append(tag) }
        self.tags = tags
        checksum = Self.checksum(of: value, tagsHash: MurmurHash.hash(tags), id)
    }

    private static func checksum(of value: StoredValue, tagsHash: UInt64, _ id: Int64) -> Int64 {
        let writer = unsafe unsafeBitCast(value.writer.uuid, to: (Int64, Int64).self)
        let numbers = [
            id, value.loaded.bits, value.usableUntil == nil ? 0 : 1, value.usableUntil?.bits ?? 0, Int64(value.epoch),
            value.isKeptWhenStale ? 1 : 0, Int64(littleEndian: writer.0), Int64(littleEndian: writer.1),
        ].map(\.littleEndian)
        let seed = unsafe numbers.withUnsafeBytes { unsafe MurmurHash.hash($0, seed: tagsHash) }
        return Int64(bitPattern: MurmurHash.hash(value.bytes, seed: seed))
    }

    /// Decodes a row with the columns that ``ValueTables`` selects.
    ///
    /// The checksum also detects values of other types, and texts that are not UTF-8.
    static func decode(_ row: StatementRow, for id: Int64) -> Result<StoredValue, Damage> {
        guard let writer = row.uuid(at: 3), let (tags, tagsHash) = row.tags(at: 5) else {
            return .failure(Damage(reason: "its writer or its tags cannot be decoded"))
        }
        let value = StoredValue(
            bytes: row.bytes(at: 7),
            loaded: Date(bits: row.integer(at: 1)),
            usableUntil: row.isNull(at: 2) ? nil : Date(bits: row.integer(at: 2)),
            tags: tags,
            writer: writer,
            epoch: Int(row.integer(at: 4)),
            isKeptWhenStale: row.integer(at: 8) != 0,
            isStale: row.integer(at: 9) != 0
        )
        let checksum = checksum(of: value, tagsHash: tagsHash, id)
        guard row.integer(at: 6) == (value.isStale ? ~checksum : checksum) else {
            return .failure(Damage(reason: "its checksum does not match"))
        }
        var result = value
        if !row.isNull(at: 10) {
            let numbers = String(decoding: row.bytes(at: 10), as: UTF8.self)
            result.doubts = numbers.split(separator: ",").compactMap { Int64($0) }
        }
        return .success(result)
    }
}

extension Date {
    /// All bits of the date, as a number in the order of dates.
    var bits: Int64 {
        let bits = Int64(bitPattern: timeIntervalSinceReferenceDate.bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }

    init(bits: Int64) {
        let pattern = UInt64(bitPattern: bits < 0 ? bits ^ .max : bits)
        self.init(timeIntervalSinceReferenceDate: Double(bitPattern: pattern))
    }
}

extension StatementRow {
    fileprivate func uuid(at column: Int32) -> UUID? {
        unsafe withBytes(at: column) { bytes in
            unsafe bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        }
    }

    /// The tags in a column, with the hash of their bytes, or nil if they cannot be decoded.
    fileprivate func tags(at column: Int32) -> ([String], UInt64)? {
        unsafe withBytes(at: column) { bytes in
            var reader = unsafe Reader(bytes)
            var tags: [String] = []
            while unsafe !reader.rest.isEmpty {
                guard let tag = reader.text() else { return nil }
                tags.append(tag)
            }
            return unsafe (tags, MurmurHash.hash(bytes))
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends a text after its length in four bytes.
    fileprivate mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

/// Reads the values that were appended to an array of bytes.
@safe private struct Reader {
    private(set) var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe rest = bytes[...]
    }

    mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(of type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard unsafe rest.count >= size else { return nil }
        defer { unsafe rest = rest.dropFirst(size) }
        return unsafe Number(littleEndian: UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: type))
    }

    /// The text after its length, or nil if there are too few bytes.
    mutating func text() -> String? {
        guard let count = integer(of: UInt32.self), unsafe rest.count >= Int(count) else { return nil }
        defer { unsafe rest = rest.dropFirst(Int(count)) }
        return unsafe String(decoding: UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count))), as: UTF8.self)
    }
}
