/// The name of a part of a source: of a column, of the rows of a table, of a table, or of everything.
///
/// A read names its columns, the rows of their tables, and everything. A write names the columns that it set, or the
/// rows if it inserted or deleted some, and always the whole of the table and of the source. So the two share a name if
/// the read may see the write.
package struct DataName: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        case column(String)
        case rows
        case whole

        /// The part as a text, for stores and other processes.
        package var text: String {
            switch self {
            case .column(let name): "." + name
            case .rows: "*"
            case .whole: ""
            }
        }

        package init(text: String) {
            self = text.isEmpty ? .whole : text == "*" ? .rows : .column(String(text.dropFirst()))
        }
    }

    package let source: DataTracker
    /// Empty for the source as one table, whose rows are its tables.
    package let table: String
    package let part: Part

    package init(_ source: DataTracker, _ table: String, _ part: Part) {
        self.source = source
        self.table = table
        self.part = part
    }

    package static func == (lhs: DataName, rhs: DataName) -> Bool {
        lhs.source === rhs.source && lhs.part == rhs.part && lhs.table == rhs.table
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(source))
        hasher.combine(table)
        hasher.combine(part)
    }
}

extension DataName: CustomStringConvertible {
    /// The name for a developer.
    package var description: String { "\(table)\(part == .rows ? " (rows)" : part.text) of \(source.name)" }

    package var isEverything: Bool { self == source.everything }
    package var isAnything: Bool { self == source.anything }

    /// Whether the name is that of something in particular, or of everything in this process.
    package var isPart: Bool { source.isRemote ? part == .whole && !table.isEmpty : !isAnything }
}

extension DataTracker {
    /// The name of all tables together, which only a write of everything has.
    package var everything: DataName { DataName(self, "", .rows) }

    /// A name that each write has.
    package var anything: DataName { DataName(self, "", .whole) }
}
