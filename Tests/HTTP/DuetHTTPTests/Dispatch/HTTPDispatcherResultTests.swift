import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPDispatcherResultTests {
    private static let emma = #"{"id":1,"title":"Emma","published":"1970-01-01T00:00:00.5Z"}"#

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.shop+json",
    ])
    func `JSON is read from any media type that is JSON`(mediaType: String) async throws {
        let client = SpyClient(.ok, Self.emma, mediaType: mediaType)
        #expect(try await dispatcher(client).dispatch(FindBook(id: 1)) == .emma)
    }

    @Test func `a response without a media type is read as the expected type`() async throws {
        #expect(try await dispatcher(SpyClient(.ok, Self.emma)).dispatch(FindBook(id: 1)) == .emma)
    }

    @Test(arguments: ["text/html", "text/json", "application/jsonp", "application/octet-stream"])
    func `a response of another media type is a failure`(mediaType: String) async throws {
        let failure = try await failure(FindBook(id: 1), SpyClient(.ok, Self.emma, mediaType: mediaType))
        guard case .mediaType = failure.reason else { throw failure }
        #expect(failure.body == Data(Self.emma.utf8))
    }

    @Test(
        arguments: [
            ("", "body is empty."), ("<html>", "body is HTML or XML, and not JSON."), ("[", "body is not JSON: "),
            ("null", "body "), ("{}", "id is missing"),
            (#"{"id":"1","title":"","published":""}"#, "id must be a whole number"),
        ]
    )
    func `an unexpected body is a failure that names the place`(body: String, said: String)
        async throws
    {
        let failure = try await failure(FindBook(id: 1), SpyClient(.ok, body, mediaType: "application/json"))
        guard case .body = failure.reason else { throw failure }
        #expect(failure.description.contains("its body is invalid: \(said)"), "\(failure)")
        #expect(failure.body == Data(body.utf8))
    }

    @Test func `a payload is mapped to its value`() async throws {
        let client = SpyClient(.ok, #"{"cents": 250, "for_book": 1}"#, mediaType: "application/json")
        #expect(try await dispatcher(client).dispatch(FindPrice(id: 1)).cents == 250)
    }

    @Test func `a payload that the mapper rejects is a failure with the mapper's error`() async throws {
        let client = SpyClient(.ok, #"{"cents": -1, "for_book": 1}"#)
        let error = await #expect(throws: HTTPFailure.self) {
            _ = try await dispatcher(client).dispatch(FindPrice(id: 1))
        }
        guard case .body(let reason) = error?.reason else { throw try #require(error) }
        #expect(reason is FindPrice.Negative)
    }

    @Test func `a canceled mapper throws its cancellation`() async throws {
        let client = SpyClient(.ok, #"{"cents": 999, "for_book": 1}"#)
        await #expect(throws: CancellationError.self) { _ = try await dispatcher(client).dispatch(FindPrice(id: 1)) }
    }

    @Test func `bytes have their media type and their strong entity tag`() async throws {
        let client = SpyClient(.ok, "png", [.contentType: "image/png", .eTag: "\"a\""])
        let cover = try await dispatcher(client).dispatch(FindCover(id: 1))
        #expect(cover == HTTPBytes(Data("png".utf8), mediaType: "image/png", entityTag: "a"))
    }

    @Test(arguments: ["W/\"a\"", "a", "\"", ""])
    func `a weak or invalid entity tag is left out`(tag: String) async throws {
        let cover = try await dispatcher(SpyClient(.ok, "", [.eTag: tag])).dispatch(FindCover(id: 1))
        #expect(cover == HTTPBytes(Data(), mediaType: "application/octet-stream"))
    }

    @Test(arguments: [(200, ""), (204, ""), (200, "null")])
    func `no content is nil where the value is optional`(status: Int, body: String) async throws {
        let client = SpyClient(.init(code: status), body, mediaType: body.isEmpty ? "text/plain" : "application/json")
        #expect(try await dispatcher(client).dispatch(FindOffer()) == nil)
    }

    @Test func `a value is read where it is optional`() async throws {
        #expect(try await dispatcher(SpyClient(.ok, Self.emma)).dispatch(FindOffer()) == .emma)
        let sample = try await dispatcher(SpyClient(.ok, "txt", mediaType: "text/plain")).dispatch(FindSample(id: 1))
        #expect(sample == HTTPBytes(Data("txt".utf8), mediaType: "text/plain"))
        #expect(try await dispatcher(SpyClient()).dispatch(FindSample(id: 1)) == nil)
    }

    @Test(arguments: [(200, false), (203, false), (204, true)])
    func `empty bytes are bytes, and only no content is nil`(status: Int, isNil: Bool) async throws {
        let sample = try await dispatcher(SpyClient(.init(code: status), "", mediaType: "text/plain"))
            .dispatch(FindSample(id: 1))
        #expect(sample == (isNil ? nil : HTTPBytes(Data(), mediaType: "text/plain")))
    }
}
