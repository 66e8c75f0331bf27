import Duet
import Foundation

/// A table, whose columns are as wide as their widest cell.
///
/// In a terminal it is at most as wide as the terminal: the widest columns lose the end of their texts. The last
/// column, which has the ids, stays whole.
struct Table {
    private static let gap = "  "
    private static let minimumWidth = 5

    private let header: [String]
    private let rows: [[String]]

    init(_ header: [String], rows: [[String]]) {
        self.header = header
        self.rows = rows.map { $0.map { $0.safe() } }
    }

    func print() {
        let lines = lines(fitting: Terminal.width)
        if let header = lines.first { Terminal.heading(header) }
        for line in lines.dropFirst() { Swift.print(line) }
    }

    /// Returns the header and the rows for an output of a width; nil for an output without limit.
    func lines(fitting limit: Int?) -> [String] {
        let widths = widths(fitting: limit)
        return ([header] + rows).map { cells in
            let padded = zip(cells, widths).dropLast().map { cell, width in
                let text = cell.truncated(to: width)
                return text + String(repeating: " ", count: width - text.columns)
            }
            return (padded + cells.suffix(1)).joined(separator: Self.gap)
        }
    }

    private func widths(fitting limit: Int?) -> [Int] {
        var widths = header.indices.map { column in ([header] + rows).map { $0[column].columns }.max() ?? 0 }
        guard let limit else { return widths }
        var excess = widths.reduce(0, +) + Self.gap.count * (widths.count - 1) - limit
        while excess > 0, let widest = widths.indices.dropLast().max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.minimumWidth
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
