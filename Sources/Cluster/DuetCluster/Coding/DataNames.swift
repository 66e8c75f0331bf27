import Duet
import Foundation

/// The names of what a query has read or a command has written, as a header carries them.
///
/// A name is the source, the table and the part, each percent-encoded (RFC 3986), with slashes between them.
struct DataNames {
    private typealias Name = (source: String, table: String, part: DataName.Part)

    /// In place of names that nobody knows, or that are too many.
    static let everything = "*"
    /// The largest number of bytes.
    private static let limit = 4_096

    /// Nil for everything.
    private let names: [Name]?

    /// - Parameter text: Nil without the header; invalid text stands for everything.
    init?(_ text: String?) {
        guard let text else { return nil }
        let names = text.split(separator: " ").map { name -> Name? in
            let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(\.removingPercentEncoding)
            guard parts.count == 3, let source = parts[0], let table = parts[1], let part = parts[2] else { return nil }
            return (source, table, DataName.Part(text: part))
        }
        self.names = names.contains { $0 == nil } ? nil : names.compactMap(\.self)
    }

    /// The names in sources of this process; nil for everything.
    func found(in source: (String) -> DataTracker?) -> Set<DataName>? {
        names.map { names in
            Set(names.compactMap { name in source(name.source).map { DataName($0, name.table, name.part) } })
        }
    }

    /// - Returns: Nil if nobody can track all of it.
    static func text(ofReads record: DataUse.Record) -> String? {
        guard let names = record.told, !names.contains(where: \.source.isRemote) else { return nil }
        let text = text(of: names)
        return text == everything ? nil : text
    }

    static func text(ofWrites record: DataUse.Record) -> String {
        let isUnknown = record.isWriteUnknown || record.writes.contains { $0.source.isRemote && $0.isEverything }
        return isUnknown ? everything : text(of: record.writes)
    }

    private static func text(of names: Set<DataName>) -> String {
        let texts = names.filter { !$0.source.name.isEmpty && !$0.source.hasParts }.map { name in
            [name.source.name, name.table, name.part.text]
                .map { $0.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? "" }.joined(separator: "/")
        }
        let text = texts.sorted().joined(separator: " ")
        return text.utf8.count > limit ? everything : text
    }
}
