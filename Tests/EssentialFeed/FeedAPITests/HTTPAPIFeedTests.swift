import DuetHTTP
import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

/// The list of messages that the backend mounts and the client sends.
struct HTTPAPIFeedTests {
    @Test(arguments: [false, true])
    func `the messages have distinct routes, and can be decoded`(closedComments: Bool) throws {
        let endpoints = try HTTPAPI(.feed(closedComments: closedComments), .feed).endpoints
        #expect(
            endpoints.map { "\($0.method) \($0.path)" } == [
                "GET v1/feed", "GET v1/feed/newest", "GET v1/feed/removed", "GET v1/feed/search",
                "GET v1/image/{id}/details", "GET v1/image/{id}/neighbors", "GET v1/image/{image_id}/comments",
                "GET v1/image/{id}", "POST v1/image/{image_id}/comments",
                "PUT v1/image/{id}", "DELETE v1/image/{id}", "PATCH v1/image/{id}/details",
                "DELETE v1/image/{image_id}/comments/{id}",
                "GET v1/permissions",
            ]
        )
    }

    @Test func `the problems keep their published names`() {
        #expect(CommentRemoved.problemType == "urn:essential-feed:comment-removed")
        #expect(IDReused.problemType == "urn:essential-feed:id-reused")
        #expect(DuplicateImage.problemType == "urn:essential-feed:duplicate-image")
        #expect(IdempotencyKeyReused.problemType == "urn:essential-feed:idempotency-key-reused")
        #expect(ImageNotFound.problemType == "urn:essential-feed:image-not-found")
        #expect(ImageRemoved.problemType == "urn:essential-feed:image-removed")
        #expect(TooManyComments.problemType == "urn:essential-feed:too-many-comments")
        #expect(InvalidMessage.problemType == "urn:essential-feed:invalid-message")
    }

    @Test func `an image survives the round trip through its bytes`() throws {
        let query = LoadPublishedImageData(id: anyID)
        let data = Data([0xFF, 0xD8, 0xFF, 0xE0])
        let image = PublishedImageData(data: data, format: .jpeg)
        let payload = LoadPublishedImageData.payload(from: image, answering: query)
        #expect(payload == HTTPBytes(data, mediaType: "image/jpeg"))
        let read = try LoadPublishedImageData.value(from: payload, answering: query)
        #expect(read == image)
        #expect(throws: InvalidMessage.self) {
            try LoadPublishedImageData.value(
                from: HTTPBytes(Data("<html>".utf8), mediaType: "image/jpeg"),
                answering: query
            )
        }
    }
}
