import Foundation

/// The parts of a file that are kept, and the bytes that are written in place of others.
struct ImageParts {
    private enum Part {
        case kept(Range<Int>)
        case written([UInt8])
    }

    private var list: [Part] = []

    /// The number of bytes of all parts.
    private(set) var count = 0

    /// Keeps the next bytes of the file.
    mutating func keep(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        count += range.count
        if case .kept(let last)? = list.last, last.upperBound == range.lowerBound {
            list[list.count - 1] = .kept(last.lowerBound..<range.upperBound)
        } else {
            list.append(.kept(range))
        }
    }

    mutating func write(_ bytes: [UInt8]) {
        count += bytes.count
        list.append(.written(bytes))
    }

    mutating func append(_ parts: ImageParts) {
        for part in parts.list {
            switch part {
            case .kept(let range): keep(range)
            case .written(let bytes): write(bytes)
            }
        }
    }

    /// Whether nothing of a file is left out or written.
    func isWhole(of file: Data) -> Bool {
        guard list.count == 1, case .kept(let range)? = list.first else { return false }
        return range == file.startIndex..<file.endIndex
    }

    func joined(from file: Data) -> Data {
        var data = Data(capacity: count)
        for part in list {
            switch part {
            case .kept(let range): data.append(file[range])
            case .written(let bytes): data.append(contentsOf: bytes)
            }
        }
        return data
    }
}
