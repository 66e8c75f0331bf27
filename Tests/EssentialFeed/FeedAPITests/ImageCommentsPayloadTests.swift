import FeedAPI
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Testing

/// Decoding the comments on an image from valid and invalid payloads.
struct ImageCommentsPayloadTests {
    private func map(_ json: String, status: Int = 200) async throws -> [ImageComment] {
        try await page(LoadImageComments(imageID: anyID), json, status: status).comments
    }

    private func page(_ query: LoadImageComments, _ json: String, status: Int = 200) async throws -> ImageCommentPage {
        try await RemoteDispatcher(answering: Data(json.utf8), status: status).dispatch(query)
    }

    private static func comment(
        id: String = "\"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086\"",
        message: String = "\"m\"",
        createdAt: String = "\"2020-05-20T11:24:59+0000\"",
        author: String = "{\"username\":\"u\"}"
    ) -> String {
        "{\"id\":\(id),\"message\":\(message),\"created_at\":\(createdAt),\"author\":\(author)}"
    }

    private static func items(_ items: String...) -> String {
        "{\"items\":[\(items.joined(separator: ","))]}"
    }

    @Test(arguments: [200, 201, 250, 299])
    func `any status from 200 to 299 delivers the comments in their order`(status: Int) async throws {
        let json = Self.items(
            Self.comment(),
            Self.comment(
                id: "\"a28f5fe3-27a7-44e9-8df5-53742d0e4a5a\"",
                message: "\"\\u00e9\\n\"",
                createdAt: "\"1970-01-01T00:00:00Z\"",
                author: "{\"username\":\"v\",\"x\":1}"
            )
        )
        let comments = try await map(json, status: status)
        #expect(
            comments == [
                ImageComment(
                    id: anyID,
                    message: "m",
                    createdAt: Date(timeIntervalSince1970: 1_589_973_899),
                    username: "u"
                ),
                ImageComment(id: otherID, message: "é\n", createdAt: Date(timeIntervalSince1970: 0), username: "v"),
            ]
        )
    }

    @Test(arguments: [199, 300, 301, 404, 500])
    func `any other status is invalid data, even with a valid body`(status: Int) async throws {
        let reason = try await invalidDataReason { try await map("{\"items\":[]}", status: status) }
        #expect(reason.hasPrefix("FeedFeature.LoadImageComments: the server responded with \(status)"))
    }

    @Test func `an empty list of items is a success`() async throws {
        #expect(try await map("{\"items\":[]}") == [])
    }

    @Test(arguments: [true, false])
    func `the server says whether there are earlier comments`(hasEarlier: Bool) async throws {
        let json = #"{"items":[\#(Self.comment())],"has_earlier":\#(hasEarlier)}"#
        #expect(try await page(LoadImageComments(imageID: anyID, limit: 1), json).hasEarlier == hasEarlier)
    }

    @Test func `of a server that ignores pages, a page is a part of all comments`() async throws {
        let all = (0..<5).map { UUID.fixture($0) }
        let json = #"{"items":[\#(all.map { Self.comment(id: "\"\($0)\"") }.joined(separator: ","))]}"#
        func part(_ limit: Int?, before: UUID?) async throws -> ([UUID], Bool) {
            let page = try await page(LoadImageComments(imageID: anyID, limit: limit, before: before), json)
            return (page.comments.map(\.id), page.hasEarlier)
        }
        #expect(try await part(nil, before: nil) == (all, false))
        #expect(try await part(5, before: nil) == (all, false))
        #expect(try await part(2, before: nil) == (Array(all[3...]), true))
        #expect(try await part(2, before: all[3]) == (Array(all[1..<3]), true))
        #expect(try await part(2, before: all[2]) == (Array(all[..<2]), false))
        #expect(try await part(2, before: all[0]) == ([], false))
        #expect(try await part(2, before: .fixture(9)) == (Array(all[3...]), true))
    }

    @Test func `a 204 without a body is invalid data, because it has no items`() async throws {
        let fault = try await bodyFault { try await map("", status: 204) }
        #expect(fault == "body is empty")
    }

    @Test(arguments: [
        (comment(id: "\"1\""), "items[1].id"),
        (comment(message: "null"), "items[1].message"),
        (comment(message: "1"), "items[1].message"),
        (comment(createdAt: "null"), "items[1].created_at"),
        (comment(createdAt: "1589973899"), "items[1].created_at"),
        (comment(createdAt: "\"yesterday\""), "items[1].created_at"),
        (comment(author: "null"), "items[1].author"),
        (comment(author: "\"u\""), "items[1].author"),
        (comment(author: "{}"), "items[1].author.username"),
        (comment(author: "{\"username\":null}"), "items[1].author.username"),
        (comment(author: "{\"username\":1}"), "items[1].author.username"),
        ("{}", "items[1].id"),
        ("null", "items[1]"),
    ])
    func `one bad comment makes the response invalid, and the error names the path`(
        comment: String,
        path: String
    ) async throws {
        let fault = try await bodyFault { try await map(Self.items(Self.comment(), comment)) }
        #expect(fault.hasPrefix("\(path) "), "\(fault)")
    }

    @Test(
        arguments: [
            ("2020-05-20T11:24:59+0000", 1_589_973_899),
            ("2020-05-20T11:24:59+00:00", 1_589_973_899),
            ("2020-05-20T11:24:59-00:00", 1_589_973_899),
            ("2020-05-20T11:24:59Z", 1_589_973_899),
            ("2020-05-20t11:24:59z", 1_589_973_899),
            ("2020-05-20 11:24:59Z", 1_589_973_899),
            ("2020-05-20T11:24:59.5Z", 1_589_973_899.5),
            ("2020-05-20T11:24:59.250+0000", 1_589_973_899.25),
            ("2020-05-20T11:24:59.000000000000000000000000000001+00:00", 1_589_973_899),
            ("2020-05-20T13:54:59+02:30", 1_589_973_899),
            ("2020-05-20T13:54:59+0230", 1_589_973_899),
            ("2020-05-19T23:24:59-1200", 1_589_973_899),
            ("2020-02-29T00:00:00Z", 1_582_934_400),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2020-03-01T00:00:00Z", 1_583_020_800),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", -1),
            ("1600-01-01T00:00:00Z", -11_676_096_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double)]
    )
    func `a date is parsed in each format`(text: String, seconds: Double) async throws {
        let comments = try await map(Self.items(Self.comment(createdAt: "\"\(text)\"")))
        #expect(comments.first?.createdAt == Date(timeIntervalSince1970: seconds))
    }

    @Test func `dates equal Foundation's, for a day in each month of eight centuries`() async throws {
        let style = Date.ISO8601FormatStyle()
        for year in 1_583...2_400 {
            let texts = zip(1...12, [31, 28, 1, 30, 15, 1, 31, 9, 30, 31, 1, 31]).map { month, day in
                let number = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
                return "\(year)-\(number(month))-\(number(day))T12:34:56Z"
            }
            let items = texts.map { Self.comment(createdAt: "\"\($0)\"") }.joined(separator: ",")
            #expect(try await map(Self.items(items)).map(\.createdAt) == texts.map(style.parse), "\(year)")
        }
    }

    @Test(arguments: [
        "", "2020-05-20", "2020-05-20T11:24:59", "2020-05-20_11:24:59Z", "2020-05-20T11:24Z", "11:24:59Z",
        "2020-05-20T11:24:59.Z", "2020-05-20T11:24:59,5Z", "2020-05-20T11:24:59ZZ", " 2020-05-20T11:24:59Z",
        "2020-05-20T11:24:59Z ", "2020-05-20T11:24:59+00", "2020-05-20T11:24:59+00:", "2020-05-20T11:24:59+0:00",
        "2020-05-20T11:24:59+24:00", "2020-05-20T11:24:59+00:60", "2020-05-20T11:24:59 +0000", "2020-5-20T11:24:59Z",
        "20200520T112459Z", "2020-00-20T11:24:59Z", "2020-13-20T11:24:59Z", "2020-05-00T11:24:59Z",
        "2020-05-32T11:24:59Z", "2020-04-31T11:24:59Z", "2019-02-29T11:24:59Z", "1900-02-29T11:24:59Z",
        "2020-05-20T24:00:00Z", "2020-05-20T11:60:59Z", "2020-05-20T11:24:61Z", "-020-05-20T11:24:59Z",
        "+2020-05-20T11:24:59Z", "12020-05-20T11:24:59Z", "2020-05-20T11:24:59é", "２０２０-05-20T11:24:59Z",
        "1589973899", "Wed, 20 May 2020 11:24:59 GMT",
    ])
    func `any other text is not a date`(text: String) async throws {
        let fault = try await bodyFault { try await map(Self.items(Self.comment(createdAt: "\"\(text)\""))) }
        #expect(fault == "items[0].created_at must be a date such as 2020-05-20T11:24:59+0000")
    }
}
