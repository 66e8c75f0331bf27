import Foundation

/// Descriptions of bytes that are not JSON, for their sender.
enum InvalidJSON {
    /// Continues a sentence about the bytes, such as “is HTML or XML, and not JSON”.
    static func reason(of data: Data) -> String {
        let start = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        let first = start.first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        if first == nil { return "is empty" }
        if let compression = compression(of: data) { return compression }
        if first == UInt8(ascii: "<") { return "is HTML or XML, and not JSON" }
        guard let place = place(in: data) else { return "is not JSON" }
        return "is not JSON: \(place)"
    }

    /// The same for a compressed document, which is not even text; nil for any other.
    static func compression(of data: Data) -> String? {
        data.starts(with: [0x1F, 0x8B]) ? "is compressed with gzip, and not JSON" : nil
    }

    /// The fault and its position, which `JSONDecoder` does not report on every system.
    private static func place(in data: Data) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            return nil
        } catch {
            guard let text = (error as NSError).userInfo["NSDebugDescription"] as? String, let first = text.first else {
                return nil
            }
            return (first.lowercased() + text.dropFirst()).loggable
        }
    }
}
