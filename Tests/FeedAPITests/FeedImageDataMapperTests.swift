import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

struct FeedImageDataMapperTests {
    @Test func `a 200 with bytes delivers them`() throws {
        #expect(try FeedImageDataMapper.map(Data([1, 2, 3]), from: .status(200)) == Data([1, 2, 3]))
    }

    @Test func `a 200 without bytes is unusable`() throws {
        let reason = try invalidDataReason { try FeedImageDataMapper.map(Data(), from: .status(200)) }
        #expect(reason == "the image has no bytes")
    }

    @Test(arguments: [199, 201, 204, 206, 299, 300, 304, 404, 500])
    func `any status but 200 is unusable`(status: Int) throws {
        let reason = try invalidDataReason { try FeedImageDataMapper.map(Data([1]), from: .status(status)) }
        #expect(reason == "its status is \(status), not 200")
    }
}
