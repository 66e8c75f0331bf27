import Crypto
import Duet
import Foundation
import HTTPTypes
import Synchronization

/// Says in responses which data queries have read and commands have written (RFC 9875).
///
/// The name of a group is a keyed digest of the name of the data, followed by a digest of the key.
final class CacheGroups: Sendable {
    /// The number of names at which all are forgotten.
    private static let limit = 65_536
    /// The group of each response with groups, which a command names for changes that nobody can name.
    static let everything = "*"

    /// The digest of the key at the end of a group, empty for that of another program.
    static func key(of group: String) -> Substring {
        let key = group.suffix(4)
        return key.first == "." && [4, 16].contains(group.utf8.count) ? key : ""
    }

    private let key: SymmetricKey
    /// The end of each group, and a group without responses.
    private let keyID: String
    private let known = Mutex<[DataName: String]>([:])
    private let sources = UsedSources()

    init(key: String) {
        self.key = SymmetricKey(data: Data(key.utf8))
        keyID = "." + Self.text(of: SHA256.hash(data: Data(key.utf8)), count: 3)
    }

    /// Adds the groups of what a query has read, unless nobody can track all of it.
    func add(reads use: DataUse?, to response: inout ServedResponse) {
        guard let use else { return }
        guard let text = text(of: use) else {
            // Otherwise, a stored response would keep its groups (RFC 9111, section 3.2).
            guard response.status == .notModified, !sources.isEmpty else { return }
            return response.headers[.cacheGroups] = StringList.text(of: [Self.everything])
        }
        response.headers[.cacheGroups] = text
    }

    /// The groups of what was read, kept beside a cached value if that is all; nil if they are not known.
    private func text(of use: DataUse) -> String? {
        guard let value = use.onlyValue else { return text(of: sources.record(of: use)) }
        return value.forms.smallForm(by: self) { text(of: sources.record(of: use)) }
    }

    private func text(of record: DataUse.Record) -> String? {
        record.told.map { StringList.text(of: [Self.everything] + groups($0)) }
    }

    /// Adds the groups of what a command has written, also if it has failed.
    ///
    /// - Parameter mayBeRepeat: Whether the command has a key, so that an attempt before this one may have written.
    func add(writes use: DataUse?, mayBeRepeat: Bool, to response: inout ServedResponse) {
        guard let use else { return }
        let record = sources.record(of: use)
        // Without a tracked source, clients stay under rules and ages.
        guard !sources.isEmpty else { return }
        let names = record.writes.filter { !$0.isAnything }
        let isRepeat = mayBeRepeat && names.isEmpty && response.status.kind == .successful
        let isUnknown = record.isWriteUnknown || isRepeat || names.count > 32 || names.contains(where: \.isEverything)
        let groups = isUnknown ? [Self.everything] : groups(names)
        // An empty list would be no field (RFC 9651, section 3.1).
        response.headers[.cacheGroupInvalidation] = StringList.text(of: groups.isEmpty ? [keyID] : groups)
    }

    private func groups(_ names: Set<DataName>) -> [String] {
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            for name in names where known[name] == nil { known[name] = group(of: name) }
            return names.compactMap { known[$0] }.sorted()
        }
    }

    private func group(of name: DataName) -> String {
        let text = [name.source.name, name.table, name.part.text].joined(separator: "\u{1F}")
        return Self.text(of: HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key), count: 12) + keyID
    }

    private static func text(of digest: some Sequence<UInt8>, count: Int) -> String {
        String(Data(digest).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").prefix(count))
    }
}
