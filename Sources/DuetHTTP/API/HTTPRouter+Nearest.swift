extension HTTPRouter {
    /// Up to three known paths that are most similar to a path.
    func nearest(_ path: Substring) -> [String] {
        // Typing errors occur in short paths. Long paths are not compared, which bounds the cost.
        guard path.utf8.count <= 128 else { return [] }
        let path = path.first == "/" ? path.dropFirst() : path
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let bytes = Array(path.utf8)
        let bound = min(5, max(2, bytes.count / 4))
        var nearest: [(distance: Int, path: String)] = []
        for template in templates where !nearest.contains(where: { $0.path == template.text }) {
            // A placeholder matches any segment.
            let likeness = template.segments.enumerated().map { index, segment in
                switch segment {
                case .literal(let text): Array(text.utf8)
                case .placeholder(let name):
                    // An empty segment matches no placeholder.
                    index < parts.count && !parts[index].isEmpty ? Array(parts[index].utf8) : Array(name.utf8)
                }
            }.joined(separator: [UInt8(ascii: "/")])
            if let distance = editDistance(bytes, Array(likeness), within: bound) {
                nearest.append((distance, template.text))
            }
        }
        // Sorting is stable: among equals, shorter paths come first, then those that were listed first.
        return nearest.sorted { ($0.distance, $0.path.utf8.count) < ($1.distance, $1.path.utf8.count) }
            .prefix(3).map(\.path)
    }
}

/// The Levenshtein distance of two texts in bytes, or nil beyond a bound.
private func editDistance(_ first: [UInt8], _ second: [UInt8], within bound: Int) -> Int? {
    guard abs(first.count - second.count) <= bound else { return nil }
    var row = Array(0...second.count)
    for (i, byte) in first.enumerated() {
        // Only cells near the diagonal can stay within the bound.
        let columns = max(0, i - bound)..<min(second.count, i + bound + 1)
        var diagonal = row[columns.lowerBound]
        row[columns.lowerBound] = columns.lowerBound == 0 ? i + 1 : bound + 1
        for j in columns {
            let cost = min(diagonal + (byte == second[j] ? 0 : 1), row[j] + 1, row[j + 1] + 1)
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
        if columns.upperBound < second.count { row[columns.upperBound + 1] = bound + 1 }
    }
    let distance = row[second.count]
    return distance <= bound ? distance : nil
}
