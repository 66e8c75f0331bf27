import Duet

struct Column<Item> {
    let header: String
    let cell: (Item) -> String

    init(_ header: String, cell: @escaping (Item) -> String) {
        self.header = header
        self.cell = cell
    }
}

/// A table, whose columns are as wide as their widest cell.
///
/// In a terminal it is at most as wide as the terminal: the widest columns lose the end of their texts. The first
/// column, which names the rows, keeps twice as much as others. The last column, which has the ids, stays whole.
struct Table {
    private static let gap = "  "
    private static let minimumWidth = 5

    /// The width to which texts are filled up with spaces in an output without limit.
    private static let longestPadding = 40

    private let header: [String]
    private let rows: [[String]]

    init(_ header: [String], rows: [[String]]) {
        self.header = header
        self.rows = rows.map { $0.map { $0.safe() } }
    }

    init<Item>(_ items: [Item], columns: [Column<Item>]) {
        self.init(columns.map(\.header), rows: items.map { item in columns.map { $0.cell(item) } })
    }

    /// The table without columns that have no text below their header; the first and the last one stay.
    var withoutEmptyColumns: Table {
        let kept = header.indices.filter { column in
            column == 0 || column == header.count - 1 || rows.contains { !$0[column].isEmpty }
        }
        return Table(kept.map { header[$0] }, rows: rows.map { row in kept.map { row[$0] } })
    }

    func print() {
        let lines = lines(fitting: Terminal.width)
        if let header = lines.first { Terminal.heading(header) }
        for line in lines.dropFirst() { Terminal.print(line) }
    }

    /// Returns the header and the rows for an output of a width; nil for an output without limit.
    func lines(fitting limit: Int?) -> [String] {
        let widths = widths(fitting: limit)
        return ([header] + rows).map { cells in
            let padded = zip(cells, widths).dropLast().map { cell, width in
                let text = limit == nil ? cell : cell.truncated(to: width)
                return text + String(repeating: " ", count: max(0, width - text.columns))
            }
            return (padded + cells.suffix(1)).joined(separator: Self.gap)
        }
    }

    private func widths(fitting limit: Int?) -> [Int] {
        var widths = header.indices.map { column in ([header] + rows).map { $0[column].columns }.max() ?? 0 }
        // Without a limit, a long text does not widen the other rows.
        guard let limit else { return widths.map { min($0, Self.longestPadding) } }
        var excess = widths.reduce(0, +) + Self.gap.count * (widths.count - 1) - limit
        func weight(_ column: Int) -> Int { column == 0 ? widths[0] / 2 : widths[column] }
        while excess > 0,
            let widest = widths.indices.dropLast().filter({ widths[$0] > Self.minimumWidth })
                .max(by: { weight($0) < weight($1) })
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
