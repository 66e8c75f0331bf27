import DuetHTTP
import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import Synchronization

/// Compresses texts with gzip for clients that accept it: HTML, JSON, scripts, styles, SVG and other text formats.
///
/// ```swift
/// router.add(middleware: CompressionMiddleware())
/// ```
///
/// These remain as they are:
///
/// - responses to a request with `Authorization`, and those with `no-store`: the size of a compressed response can
///   betray a secret that is beside text of somebody else (https://www.breachattack.com)
/// - responses with `no-transform`, partial ones, and those that are already encoded
/// - contents smaller than a minimum size or larger than 4 MiB, and those of unknown length, such as events
///
/// An entity tag becomes weak, since it now stands for two representations (RFC 9110, section 8.8.3). `Vary` tells
/// caches about them, also if the client accepts no compression. The HTTP clients of Duet accept none.
///
/// Equal contents are compressed once: the compressed forms of the last ones are kept within 8 MiB.
public struct CompressionMiddleware<Context: RequestContext>: RouterMiddleware {
    private let sizes: ClosedRange<Int>
    private let forms = CompressedForms()

    /// Creates a middleware that compresses contents of at least `minimumSize` bytes.
    public init(minimumSize: Int = 1_024) {
        let minimum = max(1, minimumSize)
        sizes = minimum...max(minimum, 4_194_304)
    }

    /// Forwards the request, and compresses the response.
    ///
    /// - Throws: The errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.headers[.authorization] == nil else { return response }
        if response.status == .notModified {
            response.headers.varyByEncoding()
            guard request.headers.acceptsGzip else { return response }
            response.headers.weakenTag(asKnownIn: request.headers[values: .ifNoneMatch])
        } else if let size = response.length(to: request.method), sizes.contains(size), response.isText {
            response.headers.varyByEncoding()
            if request.headers.acceptsGzip { try await response.compress(with: forms) }
        }
        return response
    }
}

extension HTTPFields {
    /// Whether a client accepts gzip (RFC 9110, section 12.5.3).
    package var acceptsGzip: Bool {
        let weights = FieldList.weighted(self[values: .acceptEncoding])
        let weight =
            weights.first { ["gzip", "x-gzip"].contains($0.value.lowercased()) }
            ?? weights.first { $0.value == "*" }
        return weight.map { $0.weight > 0 } ?? false
    }

    fileprivate mutating func weakenTag() {
        guard let tag = self[.eTag], tag.hasPrefix("\"") else { return }
        self[.eTag] = "W/\(tag)"
    }

    /// Weakens the entity tag if the client knows it in this form: some caches compare the texts.
    fileprivate mutating func weakenTag(asKnownIn conditions: [String]) {
        guard let tag = self[.eTag], conditions.contains(where: { $0.contains("W/\(tag)") }) else { return }
        weakenTag()
    }

    fileprivate mutating func varyByEncoding() {
        guard !contains(where: { $0.name == .vary && $0.value.has("accept-encoding") }) else { return }
        append(HTTPField(name: .vary, value: "Accept-Encoding"))
    }
}

extension String {
    /// Whether this text contains a lowercase word, in any case.
    fileprivate func has(_ word: String) -> Bool {
        utf8.indices.contains { utf8[$0...].lazy.map { $0 | 0x20 }.starts(with: word.utf8) }
    }
}

extension Response {
    fileprivate var isText: Bool {
        var text: String?
        for field in headers {
            switch field.name {
            case .contentEncoding, .contentRange: return false
            case .cacheControl where field.value.has("no-store") || field.value.has("no-transform"): return false
            case .contentType: text = field.value
            default: break
            }
        }
        if text == "application/json" { return true }
        guard let type = MediaType(text), type.essence != "text/event-stream" else { return false }
        return type.isJSON || type.essence.hasPrefix("text/") || type.essence.hasSuffix("+xml")
            || ["application/javascript", "application/xml"].contains(type.essence)
    }

    /// The length of the content, or for `HEAD` of the content that is left out; nil if it is unknown.
    fileprivate func length(to method: HTTPRequest.Method) -> Int? {
        method == .head ? headers[.contentLength].flatMap { Int($0) } : body.contentLength
    }

    fileprivate mutating func compress(with forms: CompressedForms) async throws {
        if body.contentLength != 0 {
            let content = CollectedContent()
            try await body.write(content)
            guard let compressed = forms.form(of: content.data) else { return }
            body = ResponseBody(data: compressed)
        } else {
            // HEAD, whose length is known only for the content itself.
            headers[.contentLength] = nil
        }
        headers[.contentEncoding] = "gzip"
        headers.weakenTag()
    }
}

/// The compressed forms of contents, which all make room when they are too many.
final class CompressedForms: Sendable {
    /// The size of all forms, in bytes.
    static let limit = 8_388_608

    private let state = Mutex<(forms: [String: Data], size: Int)>(([:], 0))

    func form(of content: Data) -> Data? {
        let digest = content.digest(32)
        if let form = state.withLock({ $0.forms[digest] }) { return form }
        guard let form = content.gzipped() else { return nil }
        state.withLock { state in
            // With the key, and the memory of an entry.
            let size = form.count + 256
            // Those that are still asked for return soon.
            if state.size + size > Self.limit { state = ([:], 0) }
            if state.forms.updateValue(form, forKey: digest) == nil { state.size += size }
        }
        return form
    }
}

private final class CollectedContent: ResponseBodyWriter {
    private(set) var data = Data()

    func write(_ buffer: ByteBuffer) {
        data.append(contentsOf: buffer.readableBytesView)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) {}
}
