import NIOHTTP1

extension HTTPHeaders {
    /// Whether a body is coded otherwise than in chunks, the one coding that is undone here (RFC 9112, section 7).
    var hasUnknownTransferCoding: Bool {
        let codings = self[canonicalForm: "Transfer-Encoding"]
        return !codings.isEmpty && codings.map { $0.lowercased() } != ["chunked"]
    }
}
