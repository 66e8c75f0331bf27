import FeedFeature
public import Foundation
public import HTTPTypes

/// Reads an image's bytes from the server's answer.
public enum FeedImageDataMapper {
    /// The body of the answer, whose status must be 200.
    ///
    /// - Throws: ``RemoteFailure`` of the kind `invalidData` for another status or an empty body.
    public static func map(_ data: Data, from response: HTTPResponse) throws -> Data {
        try Answer.check(response, data, statuses: 200...200)
        guard !data.isEmpty else { throw RemoteFailure.invalidData("the image has no bytes") }
        return data
    }
}
