import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// The media types of sent and of received bodies.
struct ContentTypeTests {
    struct Merge: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .patch("merge").requestHeader(.contentType, \.type)
        var type: String?
    }

    struct Put: BodyCommand {
        static let route: CommandRoute<Self> = .put("put")
        var body = [1]
    }

    struct Image: BodyCommand, Hashable {
        static let route: CommandRoute<Self> = .put("image").bodyProperty("data")
        let data: Data
        var body: HTTPBytes { HTTPBytes(data, mediaType: "image/png") }
    }

    @Test(arguments: ["application/merge-patch+json", "application/json; charset=utf-8", "x/y+json"])
    func `a message's own media type is kept if it is JSON`(_ type: String) throws {
        let journey = try Journey(Merge.self, settings: HTTPSettings(headers: [.contentType: "application/vnd.a+json"]))
        let sent = try journey.coder.encode(Merge(type: type))
        #expect(sent.headers[values: .contentType] == [type])
        let message = Merge(type: type)
        #expect(try journey.end(of: message) == message)
    }

    @Test func `the API's own media type is kept if it is JSON`() throws {
        let settings = HTTPSettings(headers: [.contentType: "application/vnd.a+json", .userAgent: "u"])
        let merge = try MessageCoder<Merge>(settings).encode(Merge())
        #expect(merge.headers == [.contentType: "application/vnd.a+json", .userAgent: "u"])
        let put = try MessageCoder<Put>(settings).encode(Put())
        #expect(put.headers[.contentType] == "application/vnd.a+json")
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "application/json;charset=latin1", "json"])
    func `a media type that is not JSON is refused with advice`(_ type: String) throws {
        let text = """
            \(Merge.messageName) cannot be sent: its Content-Type is “\(type)”, but the body is JSON; name a type that is or ends \
            with json, or send HTTPBytes.
            """
        let own = #expect(throws: HTTPMessageError.self) {
            try MessageCoder<Merge>(HTTPSettings()).encode(Merge(type: type))
        }
        #expect(own?.description == text)
        let settings = HTTPSettings(headers: [.contentType: type])
        let common = #expect(throws: HTTPMessageError.self) {
            try MessageCoder<Merge>(settings).encode(Merge())
        }
        #expect(common?.description == text)
    }

    @Test func `bytes have their own media type, whatever the API's`() throws {
        let settings = HTTPSettings(headers: [.contentType: "application/json"])
        let sent = try MessageCoder<Image>(settings).encode(Image(data: Data()))
        #expect(sent.headers[values: .contentType] == ["image/png"])
    }

    private func read(_ type: String?) throws -> Image {
        let request = MessageParts(parameters: [:], query: nil, contentType: type, body: Data([1]))
        return try MessageCoder<Image>(HTTPSettings()).decode(request)
    }

    @Test(arguments: ["image/png", "IMAGE/PNG; q=1"]) func `bytes of the message's own type are read`(_ type: String)
        throws
    {
        #expect(try read(type) == Image(data: Data([1])))
    }

    @Test(arguments: ["image/jpeg", "application/json", "", "png", nil])
    func `bytes of another type are refused with the accepted one`(_ type: String?) {
        #expect(throws: HTTPMessageError.unsupportedMediaType(expected: ["image/png"])) { try read(type) }
    }
}
