/// Rows in columns, each as wide as its widest cell.
struct Table {
    private let header: [String]
    private var rows: [[String]] = []

    init(_ header: String...) {
        self.header = header
    }

    mutating func add(_ cells: String...) {
        rows.append(cells.map(Terminal.safe))
    }

    func print() {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).dropLast().map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return (padded + cells.suffix(1)).joined(separator: "  ")
        }
        Terminal.heading(line(header))
        for row in rows { Swift.print(line(row)) }
    }
}
