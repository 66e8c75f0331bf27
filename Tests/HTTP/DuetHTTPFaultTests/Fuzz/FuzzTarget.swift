import Foundation
import FuzzTesting
import Testing

/// A fuzzed component; the folder of its corpus has its name.
enum FuzzTarget: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    /// The path of a request to an endpoint: a method and a path.
    case router
    /// A request to a message: method and path, the media type on the next line, an empty line, the body.
    case message
    /// A response with an error or a value: status, the media type on the next line, an empty line, the body.
    case problem
    /// The fields that caching depends on: method, path and fields of a request, an empty line, status and fields of
    /// its response.
    case caching
    /// A form of the feed's page: a line for the method, the media type on the next line, an empty line, the body.
    case form
    /// A request for a page of the feed: method and path, the languages on the next line, an empty line, the cookies.
    case visit
    /// JSON in which combining characters are searched.
    case text
    /// A stream of server-sent events.
    case events
    /// The bytes of an image.
    case image
    /// A JSON Web Token.
    case token
    /// The address to which a response redirects.
    case redirect

    var testDescription: String { rawValue }

    /// Reads an input.
    func read(_ input: [UInt8]) async -> FuzzVerdict {
        switch self {
        case .router: RouterTarget.read(input)
        case .message: await MessageTarget.read(input)
        case .problem: await ProblemTarget.read(input)
        case .caching: CachingTarget.read(input)
        case .form: FormTarget.read(input)
        case .visit: VisitTarget.read(input)
        case .text: TextTarget.read(input)
        case .events: EventTarget.read(input)
        case .image: ImageTarget.read(input)
        case .token: await TokenTarget.read(input)
        case .redirect: await RedirectTarget.read(input)
        }
    }

    /// Reads mutated copies of the corpus.
    func fuzz(seed: UInt64, length: Fuzzer.Length) async throws -> Fuzzer.Report {
        try await Fuzzer(
            name: rawValue,
            corpus: try corpus(),
            tokens: tokens,
            seed: seed,
            length: length
        ) { await read($0) }.run()
    }

    /// The inputs to begin with, sorted by name, so that a seed means the same everywhere.
    func corpus() throws -> [[UInt8]] {
        let folder = Bundle.module.bundleURL.appending(path: "Corpus").appending(path: rawValue)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.lastPathComponent < $1.lastPathComponent }.map { Array(try Data(contentsOf: $0)) }
    }

    /// Words with a meaning for the component.
    var tokens: [String] {
        let urls = [
            "/", "//", "%2F", "%", "%2", "%00", "%C3%A9", "%FF", "%ED%A0%80", "..", ".", "?", "&", "=", "[]", "+", "v1",
            "GET ", "HEAD ",
            "POST ", "PUT ", "DELETE ", "OPTIONS ", "{id}", "\u{202E}", "e\u{301}",
        ]
        let values = [
            "0", "-1", "9223372036854775808", "1e400", "-0.0", "NaN", "true", "null", "2020-02-30T00:00:00Z",
            "9999-12-31T23:59:60.9999999Z",
            "11111111-2222-3333-4444-555555555555", #"\u0000"#, #"\ud800"#, "\"", "\\", ",", ":", "[", "]", "{", "}",
        ]
        let names = [
            "filter", "tags", "since", "order", "page", "replies", "text", "extra", "first_name", "created_at",
        ]
        switch self {
        case .router: return urls
        case .message:
            return urls + values + names + ["application/json", "; charset=utf-8", "text/plain", "\n", "\n\n"]
        case .problem:
            return values + [
                "type", "title", "status", "detail", "instance", "about:blank", "urn:fuzz:taken", "by", "until",
                "application/problem+json", "application/json", "200", "204", "400", "409", "599", "\n",
            ]
        case .caching:
            return values + CachingTarget.tokens
        case .form:
            return urls + [
                "--B", "--B--", "--B\r\n", "\r\n--B\r\n", "\r\n\r\n", "\r",
                "Content-Disposition: form-data; name=\"m\"",
                "; filename=\"a\"", ";", "\"", "name=", "multipart/form-data; boundary=B", "%CC%81", "\u{301}\u{316}",
                "application/x-www-form-urlencoded",
            ]
        case .visit:
            return urls + [
                "session=", "permissions=publish", "lang=", "; ", "el-GR", ";q=0.5", ",", "q=", "after=", "sort=oldest",
                "after_comments=", "11111111-2222-3333-4444-555555555555", "9223372036854775808", "\u{301}\u{316}",
                "%CC%81%CC%96",
            ]
        case .text:
            return values + [
                #"\u0301"#, #"\u0f73"#, #"\ud834\udd65"#, #"\ud834"#, #"\u"#, "\u{301}", "\u{316}", "\u{F73}",
                "\u{1D165}",
                "\u{1F600}", "é",
            ]
        case .events:
            return [
                "data: ", "data", "id: ", "retry: ", "retry: 999999999", "retry: 0", "event: x", ":", "\n", "\r",
                "\r\n",
                "\n\n", "\r\r", "\0", "\u{FEFF}", "\u{301}\u{316}",
            ]
        case .image:
            return [
                "GIF89a", "NETSCAPE2.0", "IHDR", "IDAT", "IEND", "eXIf", "tEXt", "acTL", "fcTL", "RIFF", "WEBP", "VP8X",
                "VP8L", "VP8 ", "ANIM", "ANMF", "EXIF", "Exif\0\0", "MM\0*", "II*\0", "\0\0\0\0",
                "\u{7F}\u{7F}\u{7F}\u{7F}", ";",
            ]
        case .token:
            // Members of a head in base64url.
            return [".", "=", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiIsImtpZCI6", "bnVsbA", "W10", "e30", "_", "-"]
        case .redirect:
            return urls + ["https://", "http://", ":", "@", "a.example", "[::1]", ":0", ":65536", "#", "\\", " "]
        }
    }
}
