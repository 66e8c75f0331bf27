import DuetHTTPCaching
import Foundation
import HTTPTypes
