import DuetAsyncHTTPClient
import HTTPTypes
import Testing

struct StatusTests {
    @Test(arguments: [100, 200, 599, 600, 999] as [UInt])
    func `three digits are a status`(code: UInt) throws {
        let status = try HTTPResponse.Status(received: code, reasonPhrase: "Fine")
        #expect(status.code == Int(code))
        #expect(status.reasonPhrase == "Fine")
    }

    @Test(arguments: [0, 99, 1_000, 2_000, .max] as [UInt])
    func `any other number is a response that is not HTTP`(code: UInt) throws {
        let error = try #require(throws: InvalidStatus.self) {
            try HTTPResponse.Status(received: code, reasonPhrase: "")
        }
        #expect("\(error)" == "the response is not valid HTTP (status \(code))")
    }
}
