import Crypto
import Duet
import Foundation
import HTTPTypes
import Synchronization

/// Says in responses which data queries have read and commands have written (RFC 9875).
///
/// The name of a group is a keyed digest of the name of the data, followed by a digest of the key.
final class CacheGroups: Sendable {
    private struct State {
        var groups: [DataName: String] = [:]
        /// The sources that handlers have used.
        var sources: Set<ObjectIdentifier> = []
    }

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
    private let state = Mutex(State())

    init(key: String) {
        self.key = SymmetricKey(data: Data(key.utf8))
        keyID = "." + Self.text(of: SHA256.hash(data: Data(key.utf8)), count: 3)
    }

    /// Adds the groups of what a query has read, unless nobody can track all of it.
    func add(reads use: DataUse?, to response: inout ServedResponse) {
        guard let use else { return }
        let record = record(of: use)
        guard let names = record.told else {
            // Otherwise, a stored response would keep its groups (RFC 9111, section 3.2).
            guard response.status == .notModified, isNeeded else { return }
            return response.headers[.cacheGroups] = StringList.text(of: [Self.everything])
        }
        response.headers[.cacheGroups] = StringList.text(of: [Self.everything] + groups(names))
    }

    /// Adds the groups of what a command has written, also if it has failed.
    ///
    /// - Parameter mayBeRepeat: Whether the command has a key, so that an attempt before this one may have written.
    func add(writes use: DataUse?, mayBeRepeat: Bool, to response: inout ServedResponse) {
        guard let use else { return }
        let record = record(of: use)
        guard isNeeded else { return }
        let names = record.writes.filter { !$0.isAnything }
        let isRepeat = mayBeRepeat && names.isEmpty && response.status.kind == .successful
        let isUnknown = record.isWriteUnknown || isRepeat || names.count > 32 || names.contains(where: \.isEverything)
        let groups = isUnknown ? [Self.everything] : groups(names)
        // An empty list would be no field (RFC 9651, section 3.1).
        response.headers[.cacheGroupInvalidation] = StringList.text(of: groups.isEmpty ? [keyID] : groups)
    }

    /// Whether there is a tracked source; without one, clients stay under rules and ages.
    private var isNeeded: Bool { state.withLock { !$0.sources.isEmpty } }

    /// The record with changes and reads of nobody knows whom, as far as handlers have used their sources.
    private func record(of use: DataUse) -> DataUse.Record {
        var record = use.record
        state.withLock { state in
            // Neither those of the server's caches, nor servers behind this one that have never named groups.
            for name in [record.reads, record.writes].joined()
            where !name.source.name.isEmpty && !(name.isAnything && name.source.isRemote) {
                state.sources.insert(ObjectIdentifier(name.source))
            }
            record.addCharges { state.sources.contains(ObjectIdentifier($0)) }
        }
        return record
    }

    private func groups(_ names: Set<DataName>) -> [String] {
        state.withLock { state in
            if state.groups.count >= Self.limit { state.groups = [:] }
            for name in names where state.groups[name] == nil { state.groups[name] = group(of: name) }
            return names.compactMap { state.groups[$0] }.sorted()
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
