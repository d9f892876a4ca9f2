import * as sdk from 'ai'
import { z } from 'zod'
import { aiSdkSubject } from '../ai-sdk-subject.mjs'

export default async (workload) => aiSdkSubject({ name: 'ai6', sdk, z, specificationVersion: 'v3' }, workload)
